// Mirrors cases/error.py.
#include "driver.hpp"

DRIVER(GetErrorName, 6000)

CASE("error.name") {
  const char *name;
  int status = 0;
  for (auto _ : loop) status |= driver::GetErrorName(CUDA_ERROR_INVALID_VALUE, &name);
  return status_of(CUresult(status));
}
