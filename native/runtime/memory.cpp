// The native-runtime variants of cases/memory.py.
#include "runtime.hpp"

CASE("memory.alloc_free") {
  const std::size_t size = 1024;
  cudaStream_t on;
  void *live, *pointer;
  int status = cudaStreamCreateWithFlags(&on, cudaStreamNonBlocking);
  status |= cudaMallocAsync(&live, size, on);
  for (auto _ : loop) {
    status |= cudaMallocAsync(&pointer, size, on);
    status |= cudaFreeAsync(pointer, on);
  }
  status |= cudaFreeAsync(live, on);
  status |= cudaStreamDestroy(on);
  return status_of(cudaError_t(status));
}
