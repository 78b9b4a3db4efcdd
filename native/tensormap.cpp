// Mirrors cases/tensormap.py.
#include "driver.hpp"

DRIVER(TensorMapEncodeTiled, 12000)

CASE("tensormap.encode_3") {
  void *const address = reinterpret_cast<void *>(buffer());
  const cuuint64_t dimensions[] = {32, 16}, strides[] = {128};
  const cuuint32_t box[] = {8, 8}, steps[] = {1, 1};
  CUtensorMap maps[3];
  int status = 0;
  for (auto _ : loop) {
    for (CUtensorMap &map : maps) {
      status |= driver::TensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, address, dimensions, strides, box, steps,
                                             CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                                             CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    }
  }
  return status_of(CUresult(status));
}
