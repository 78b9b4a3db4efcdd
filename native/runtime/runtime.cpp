// The separate library of native-runtime baselines. It alone holds a (static) cudart, which asks for a genuine driver.
#include <cuda_runtime_api.h>

#include "runtime.hpp"

Status status_of(cudaError_t error) { return error == cudaSuccess ? Status() : cudaGetErrorName(error); }

Status open_library(const char *, const char *, const char *) { return status_of(cudaFree(nullptr)); }

void drain() { cudaDeviceSynchronize(); }

Status missing(const char *) { return {}; }
