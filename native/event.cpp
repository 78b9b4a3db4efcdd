// Mirrors cases/event.py.
#include "driver.hpp"

DRIVER(EventCreate, 2000)
DRIVER(EventDestroy, 4000)
DRIVER(EventRecord, 2000)

CASE("event.create_destroy") {
  CUevent made;
  int status = 0;
  for (auto _ : loop) {
    status |= driver::EventCreate(&made, CU_EVENT_DISABLE_TIMING);
    status |= driver::EventDestroy(made);
  }
  return status_of(CUresult(status));
}

CASE("event.record") {
  const CUstream on = stream();
  CUevent event;
  int status = driver::EventCreate(&event, CU_EVENT_DISABLE_TIMING);
  for (auto _ : loop) status |= driver::EventRecord(event, on);
  status |= driver::EventDestroy(event);
  return status_of(CUresult(status));
}
