// Mirrors cases/launch.py. A CUkernel is passed where a CUfunction is asked for: the driver takes either.
#include "driver.hpp"

DRIVER(LaunchKernel, 4000)

CASE("launch.empty") {
  const auto function = reinterpret_cast<CUfunction>(kernel("empty"));
  const CUstream on = stream();
  int status = 0;
  for (auto _ : loop) status |= driver::LaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, on, nullptr, nullptr);
  return status_of(CUresult(status));
}

CASE("launch.16_pointers") {
  const auto function = reinterpret_cast<CUfunction>(kernel("pointers_16"));
  const CUstream on = stream();
  CUdeviceptr pointer = buffer();
  void *arguments[16];
  std::fill(std::begin(arguments), std::end(arguments), &pointer);
  int status = 0;
  for (auto _ : loop) status |= driver::LaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, on, arguments, nullptr);
  return status_of(CUresult(status));
}
