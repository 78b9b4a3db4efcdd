/* What the generated, tracing calls need. They have the calls' own names, so that nothing is renamed here. */
#pragma once
#define __CUDA_API_VERSION_INTERNAL
#include <cuda.h>

__attribute__((visibility("hidden"), format(printf, 1, 2))) void null_trace(const char *format, ...);
