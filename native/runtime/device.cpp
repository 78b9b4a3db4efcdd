// The native-runtime variants of cases/device.py.
#include "runtime.hpp"

CASE("device.current") {
  int device, status = 0;
  for (auto _ : loop) status |= cudaGetDevice(&device);
  return status_of(cudaError_t(status));
}
