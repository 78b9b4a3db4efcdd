// The native-runtime variants of cases/event.py.
#include "runtime.hpp"

namespace {
Status create_destroy(Loop &loop) {
  cudaEvent_t made;
  int status = 0;
  for (auto _ : loop) {
    status |= cudaEventCreateWithFlags(&made, cudaEventDisableTiming);
    status |= cudaEventDestroy(made);
  }
  return status_of(cudaError_t(status));
}
}  // namespace

CASE("event.create_destroy") { return create_destroy(loop); }

CASE("event.create_drop") { return create_destroy(loop); }

CASE("event.record") {
  cudaStream_t stream;
  cudaEvent_t event;
  int status = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  status |= cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
  for (auto _ : loop) status |= cudaEventRecord(event, stream);
  status |= cudaEventDestroy(event);
  status |= cudaStreamDestroy(stream);
  return status_of(cudaError_t(status));
}
