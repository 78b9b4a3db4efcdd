// Mirrors cases/tensormap.py.
#include <algorithm>

#include "driver.hpp"

DRIVER(TensorMapEncodeIm2col, 12000)
DRIVER(TensorMapEncodeIm2colWide, 12080)
DRIVER(TensorMapEncodeTiled, 12000)

namespace {
// Of a tensor of floats and the box that is fetched of it; a lower rank takes the first of each. A driver refuses to be given no
// strides at all, though rank 1 has none.
const cuuint64_t sizes[] = {32, 2, 2, 2, 2}, strides[] = {128, 256, 512, 1024};
const cuuint32_t box[] = {8, 2, 2, 2, 2}, steps[] = {1, 1, 1, 1, 1};

void *address() { return reinterpret_cast<void *>(buffer()); }

Status tiled(Loop &loop, cuuint32_t rank) {
  void *const at = address();
  CUtensorMap map;
  int status = 0;
  for (auto _ : loop) {
    status |= driver::TensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, rank, at, sizes, strides, box, steps,
                                           CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                                           CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  }
  return status_of(CUresult(status));
}

// The arrays are filled anew each turn, as a caller's lists are built.
Status rebuilt(Loop &loop, cuuint32_t rank) {
  void *const at = address();
  CUtensorMap map;
  int status = 0;
  for (auto _ : loop) {
    cuuint64_t extents[5], pitches[4];
    cuuint32_t fetched[5], every[5];
    std::copy_n(sizes, rank, extents);
    std::copy_n(strides, std::max(1u, rank - 1), pitches);
    std::copy_n(box, rank, fetched);
    std::copy_n(steps, rank, every);
    status |= driver::TensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, rank, at, extents, pitches, fetched, every,
                                           CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                                           CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  }
  return status_of(CUresult(status));
}
}  // namespace

CASE("tensormap.encode_3") {
  void *const at = address();
  CUtensorMap maps[3];
  int status = 0;
  for (auto _ : loop) {
    for (CUtensorMap &map : maps) {
      status |= driver::TensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, at, sizes, strides, box, steps,
                                             CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                                             CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    }
  }
  return status_of(CUresult(status));
}

CASE("tensormap.tiled_1") { return tiled(loop, 1); }
CASE("tensormap.tiled_2") { return tiled(loop, 2); }
CASE("tensormap.tiled_3") { return tiled(loop, 3); }
CASE("tensormap.tiled_4") { return tiled(loop, 4); }
CASE("tensormap.tiled_5") { return tiled(loop, 5); }

CASE("tensormap.tiled_1_rebuilt") { return rebuilt(loop, 1); }
CASE("tensormap.tiled_2_rebuilt") { return rebuilt(loop, 2); }
CASE("tensormap.tiled_3_rebuilt") { return rebuilt(loop, 3); }
CASE("tensormap.tiled_4_rebuilt") { return rebuilt(loop, 4); }
CASE("tensormap.tiled_5_rebuilt") { return rebuilt(loop, 5); }

CASE("tensormap.im2col") {
  void *const at = address();
  const int lower[] = {0, 0}, upper[] = {0, 0};
  CUtensorMap map;
  int status = 0;
  for (auto _ : loop) {
    status |= driver::TensorMapEncodeIm2col(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 4, at, sizes, strides, lower, upper, 8, 4,
                                            steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                                            CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  }
  return status_of(CUresult(status));
}

CASE("tensormap.im2col_wide") {
  void *const at = address();
  CUtensorMap map;
  int status = 0;
  for (auto _ : loop) {
    status |= driver::TensorMapEncodeIm2colWide(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 4, at, sizes, strides, 0, 0, 8, 4, steps,
                                                CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_IM2COL_WIDE_MODE_W,
                                                CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                                                CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  }
  return status_of(CUresult(status));
}
