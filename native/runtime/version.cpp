// The native-runtime variants of cases/version.py.
#include "runtime.hpp"

CASE("version.runtime") {
  int version, status = 0;
  for (auto _ : loop) status |= cudaRuntimeGetVersion(&version);
  return status_of(cudaError_t(status));
}
