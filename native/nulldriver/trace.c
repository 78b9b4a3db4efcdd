/* Where a tracing null driver writes what the main thread calls: what others do beside it has no order to compare. */
#include "trace.h"
#include <ctype.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static int target = STDERR_FILENO;

__attribute__((constructor)) static void open_target(void) {
  const char *text = getenv("CTK_NULL_TRACE");
  if (!text || !*text) return;
  target = isdigit((unsigned char)*text) ? atoi(text) : open(text, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (target >= 0) return;
  perror("CTK_NULL_TRACE");
  exit(1); /* a trace that nobody receives would read as «no calls» */
}

void null_trace(const char *format, ...) {
  if (syscall(SYS_gettid) != getpid()) return;
  char line[1024];
  va_list values;
  va_start(values, format);
  int length = vsnprintf(line, sizeof line, format, values);
  va_end(values);
  if (length >= (int)sizeof line) {
    length = sizeof line;
    line[length - 1] = '\n';
  }
  while (length > 0 && write(target, line, (size_t)length) < 0) {}
}
