// Mirrors cases/memory.py.
#include "driver.hpp"

DRIVER(MemAllocAsync, 11020)
DRIVER(MemFreeAsync, 11020)

CASE("memory.alloc_free") {
  const CUstream on = stream();
  const std::size_t size = 1024;
  CUdeviceptr live, pointer;
  int status = driver::MemAllocAsync(&live, size, on);
  for (auto _ : loop) {
    status |= driver::MemAllocAsync(&pointer, size, on);
    status |= driver::MemFreeAsync(pointer, on);
  }
  status |= driver::MemFreeAsync(live, on);
  return status_of(CUresult(status));
}
