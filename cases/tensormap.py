"""Tensor maps: the descriptors of the Tensor Memory Accelerator."""

from ctkmatrix.probe.loop import Loop
from ctkmatrix.probe.registry import case
from ctkmatrix.probe.subject import Subject

encode_3 = case(
    "tensormap.encode_3",
    "Encode three tiled descriptors of rank 2, all argument objects built outside the loop.",
    calls="cuTensorMapEncodeTiled cuTensorMapEncodeTiled cuTensorMapEncodeTiled",
    references="#659",
)


@encode_3("bindings")
def _(loop: Loop, cu: Subject) -> object:
    driver = cu.driver
    encode, u32, u64 = driver.cuTensorMapEncodeTiled, driver.cuuint32_t, driver.cuuint64_t
    arguments = (
        driver.CUtensorMapDataType.CU_TENSOR_MAP_DATA_TYPE_FLOAT32,
        2,
        cu.buffer,
        [u64(32), u64(16)],
        [u64(128)],
        [u32(8), u32(8)],
        [u32(1), u32(1)],
        driver.CUtensorMapInterleave.CU_TENSOR_MAP_INTERLEAVE_NONE,
        driver.CUtensorMapSwizzle.CU_TENSOR_MAP_SWIZZLE_NONE,
        driver.CUtensorMapL2promotion.CU_TENSOR_MAP_L2_PROMOTION_NONE,
        driver.CUtensorMapFloatOOBfill.CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE,
    )
    out = None
    for _ in loop:
        encode(*arguments)
        encode(*arguments)
        out = encode(*arguments)
    return out
