// Says to callgrind, from inside the process that it watches, when to begin and when to write down what it counted.
// Without callgrind each of these does nothing.
#include <valgrind/callgrind.h>

void ctk_marker_start(void) { CALLGRIND_START_INSTRUMENTATION; }
void ctk_marker_zero(void) { CALLGRIND_ZERO_STATS; }
void ctk_marker_dump(void) { CALLGRIND_DUMP_STATS; }
// Has the counters written into valgrind's log: a file of all functions, as above, takes up to a tenth of a second.
int ctk_marker_status(void) { return VALGRIND_MONITOR_COMMAND("status internal"); }
