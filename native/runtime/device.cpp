// The native-runtime variants of cases/device.py.
#include "runtime.hpp"

static Status current_device(Loop &loop) {
  int device, status = 0;
  for (auto _ : loop) status |= cudaGetDevice(&device);
  return status_of(cudaError_t(status));
}

CASE("device.current") { return current_device(loop); }

CASE("device.current.number") { return current_device(loop); }
