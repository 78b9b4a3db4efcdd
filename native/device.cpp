// Mirrors cases/device.py.
#include "driver.hpp"

DRIVER(CtxGetCurrent, 4000)
DRIVER(CtxGetDevice, 2000)
DRIVER(CtxSetCurrent, 4000)
DRIVER(DeviceGet, 2000)
DRIVER(DeviceGetAttribute, 2000)

static Status current_device(Loop &loop) {
  CUdevice device;
  int status = 0;
  for (auto _ : loop) status |= driver::CtxGetDevice(&device);
  return status_of(CUresult(status));
}

CASE("device.current") { return current_device(loop); }

CASE("device.current.number") { return current_device(loop); }

CASE("device.by_ordinal") {
  CUdevice device;
  int status = 0;
  for (auto _ : loop) status |= driver::DeviceGet(&device, 0);
  return status_of(CUresult(status));
}

CASE("device.compute_capability") {
  int major, minor, status = 0;
  for (auto _ : loop) {
    status |= driver::DeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 0);
    status |= driver::DeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 0);
  }
  return status_of(CUresult(status));
}

CASE("device.compute_capability.of_current") {
  CUdevice device;
  int major, minor, status = 0;
  for (auto _ : loop) {
    status |= driver::CtxGetDevice(&device);
    status |= driver::DeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
    status |= driver::DeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
  }
  return status_of(CUresult(status));
}

CASE("device.attribute") {
  int clock_rate, status = 0;
  for (auto _ : loop) status |= driver::DeviceGetAttribute(&clock_rate, CU_DEVICE_ATTRIBUTE_CLOCK_RATE, 0);
  return status_of(CUresult(status));
}

CASE("device.context") {
  CUcontext context;
  int status = 0;
  for (auto _ : loop) status |= driver::CtxGetCurrent(&context);
  return status_of(CUresult(status));
}

CASE("device.set_current") {
  CUcontext context;
  int status = driver::CtxGetCurrent(&context);
  for (auto _ : loop) status |= driver::CtxSetCurrent(context);
  return status_of(CUresult(status));
}
