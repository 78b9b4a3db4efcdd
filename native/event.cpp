// Mirrors cases/event.py.
#include "driver.hpp"

DRIVER(CtxSynchronize, 2000)
DRIVER(EventCreate, 2000)
DRIVER(EventDestroy, 4000)
#if CUDA_VERSION >= 13000  // what the toolkit means by cuEventElapsedTime
DRIVER(EventElapsedTime, 12080)
#else
DRIVER(EventElapsedTime, 2000)
#endif
DRIVER(EventQuery, 2000)
DRIVER(EventRecord, 2000)
DRIVER(EventSynchronize, 2000)

namespace {
Status create_destroy(Loop &loop, unsigned flags) {
  CUevent made;
  int status = 0;
  for (auto _ : loop) {
    status |= driver::EventCreate(&made, flags);
    status |= driver::EventDestroy(made);
  }
  return status_of(CUresult(status));
}

// Makes an event, records it and waits until it has happened.
int happened(CUevent &event, unsigned flags) {
  int status = driver::EventCreate(&event, flags);
  status |= driver::EventRecord(event, stream());
  return status | driver::CtxSynchronize();
}
}  // namespace

CASE("event.create_destroy") { return create_destroy(loop, CU_EVENT_DISABLE_TIMING); }

CASE("event.create_destroy_timing") { return create_destroy(loop, CU_EVENT_DEFAULT); }

CASE("event.create_drop") { return create_destroy(loop, CU_EVENT_DISABLE_TIMING); }

CASE("event.record") {
  const CUstream on = stream();
  CUevent event;
  int status = driver::EventCreate(&event, CU_EVENT_DISABLE_TIMING);
  for (auto _ : loop) status |= driver::EventRecord(event, on);
  status |= driver::EventDestroy(event);
  return status_of(CUresult(status));
}

CASE("event.query") {
  CUevent event;
  int status = happened(event, CU_EVENT_DISABLE_TIMING);
  for (auto _ : loop) status |= driver::EventQuery(event);
  status |= driver::EventDestroy(event);
  return status_of(CUresult(status));
}

CASE("event.sync") {
  CUevent event;
  int status = happened(event, CU_EVENT_DISABLE_TIMING);
  for (auto _ : loop) status |= driver::EventSynchronize(event);
  status |= driver::EventDestroy(event);
  return status_of(CUresult(status));
}

CASE("event.elapsed_time") {
  CUevent first, second;
  float milliseconds;
  int status = happened(first, CU_EVENT_DEFAULT);
  status |= happened(second, CU_EVENT_DEFAULT);
  for (auto _ : loop) status |= driver::EventElapsedTime(&milliseconds, first, second);
  status |= driver::EventDestroy(first);
  status |= driver::EventDestroy(second);
  return status_of(CUresult(status));
}
