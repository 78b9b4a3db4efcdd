// Mirrors cases/occupancy.py. A CUkernel is passed where a CUfunction is asked for: the driver takes either.
#include "driver.hpp"

DRIVER(OccupancyMaxActiveBlocksPerMultiprocessor, 6050)
DRIVER(OccupancyMaxPotentialBlockSize, 6050)

CASE("occupancy.max_active_blocks") {
  const auto function = reinterpret_cast<CUfunction>(kernel("empty"));
  int blocks, status = 0;
  for (auto _ : loop) status |= driver::OccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, 128, 0);
  return status_of(CUresult(status));
}

CASE("occupancy.max_potential_block_size") {
  const auto function = reinterpret_cast<CUfunction>(kernel("empty"));
  int blocks, threads, status = 0;
  for (auto _ : loop) status |= driver::OccupancyMaxPotentialBlockSize(&blocks, &threads, function, nullptr, 0, 0);
  return status_of(CUresult(status));
}
