// The native-runtime variants of cases/stream.py.
#include "runtime.hpp"

namespace {
Status create_destroy(Loop &loop) {
  cudaStream_t made;
  int status = 0;
  for (auto _ : loop) {
    status |= cudaStreamCreateWithPriority(&made, cudaStreamNonBlocking, 0);
    status |= cudaStreamDestroy(made);
  }
  return status_of(cudaError_t(status));
}
}  // namespace

CASE("stream.create_destroy") { return create_destroy(loop); }

CASE("stream.create_drop") { return create_destroy(loop); }
