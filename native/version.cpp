// Mirrors cases/version.py.
#include "driver.hpp"

DRIVER(DriverGetVersion, 2020)
NVRTC(Version)

CASE("version.driver") {
  int version, status = 0;
  for (auto _ : loop) status |= driver::DriverGetVersion(&version);
  return status_of(CUresult(status));
}

CASE("version.nvrtc") {
  int major, minor, status = 0;
  for (auto _ : loop) status |= nvrtc::Version(&major, &minor);
  return status_of(nvrtcResult(status));
}
