// Mirrors cases/stream.py.
#include "driver.hpp"

DRIVER(EventCreate, 2000)
DRIVER(EventDestroy, 4000)
DRIVER(EventRecord, 2000)
DRIVER(StreamCreate, 2000)
DRIVER(StreamCreateWithPriority, 5050)
DRIVER(StreamDestroy, 4000)
DRIVER(StreamQuery, 2000)
DRIVER(StreamSynchronize, 2000)
DRIVER(StreamWaitEvent, 3020)

namespace {
Status create_destroy(Loop &loop) {
  CUstream made;
  int status = 0;
  for (auto _ : loop) {
    status |= driver::StreamCreateWithPriority(&made, CU_STREAM_NON_BLOCKING, 0);
    status |= driver::StreamDestroy(made);
  }
  return status_of(CUresult(status));
}
}  // namespace

CASE("stream.create_destroy") { return create_destroy(loop); }

CASE("stream.create_drop") { return create_destroy(loop); }

CASE("stream.query") {
  const CUstream idle = stream();
  int status = 0;
  for (auto _ : loop) status |= driver::StreamQuery(idle);
  return status_of(CUresult(status));
}

CASE("stream.sync") {
  const CUstream idle = stream();
  int status = 0;
  for (auto _ : loop) status |= driver::StreamSynchronize(idle);
  return status_of(CUresult(status));
}

CASE("stream.wait") {
  const CUstream waiting = stream();
  CUstream other;
  CUevent event;
  int status = driver::StreamCreate(&other, CU_STREAM_NON_BLOCKING);
  status |= driver::EventCreate(&event, CU_EVENT_DISABLE_TIMING);
  status |= driver::EventRecord(event, other);
  for (auto _ : loop) status |= driver::StreamWaitEvent(waiting, event, CU_EVENT_WAIT_DEFAULT);
  status |= driver::EventDestroy(event);
  status |= driver::StreamDestroy(other);
  return status_of(CUresult(status));
}
