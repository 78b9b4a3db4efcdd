// Mirrors cases/stream.py.
#include "driver.hpp"

DRIVER(StreamCreateWithPriority, 5050)
DRIVER(StreamDestroy, 4000)

CASE("stream.create_destroy") {
  CUstream made;
  int status = 0;
  for (auto _ : loop) {
    status |= driver::StreamCreateWithPriority(&made, CU_STREAM_NON_BLOCKING, 0);
    status |= driver::StreamDestroy(made);
  }
  return status_of(CUresult(status));
}
