"""Tensor maps: the descriptors of the Tensor Memory Accelerator."""

from typing import Any

from ctkmatrix.probe.loop import Loop
from ctkmatrix.probe.registry import Case, case
from ctkmatrix.probe.subject import NotInThisVersion, Subject

SIZES, STRIDES, BOX, STEPS = (32, 2, 2, 2, 2), (128, 256, 512, 1024), (8, 2, 2, 2, 2), (1, 1, 1, 1, 1)
"""Of a tensor of floats and the box that is fetched of it; a lower rank takes the first of each. A driver refuses to be given no
strides at all, though rank 1 has none."""

NEEDS, WIDE_NEEDS = "sm_90", "sm_100"
"""As the driver API's reference has it: cuTensorMapEncodeIm2colWide is «only supported on devices of compute capability 10.0 or
higher», and tensor maps as such from 9.0 on."""

encode_3 = case(
    "tensormap.encode_3",
    "Encode three tiled descriptors of rank 2, all argument objects built outside the loop.",
    calls="cuTensorMapEncodeTiled cuTensorMapEncodeTiled cuTensorMapEncodeTiled",
    references="#659",
    needs=NEEDS,
)


@encode_3("bindings")
def _(loop: Loop, cu: Subject) -> object:
    encode, arguments = cu.driver.cuTensorMapEncodeTiled, tiled_arguments(cu, 2)
    out = None
    for _ in loop:
        encode(*arguments)
        encode(*arguments)
        out = encode(*arguments)
    return out


def tiled(rank: int) -> Case:
    """Declare the encoding of one descriptor of *rank*."""
    made = case(
        f"tensormap.tiled_{rank}",
        f"Encode a tiled descriptor of rank {rank}, its lists built outside the loop.",
        calls="cuTensorMapEncodeTiled",
        references="#659 #898 #940",
        needs=NEEDS,
    )

    @made("bindings")
    def _(loop: Loop, cu: Subject) -> object:
        encode, arguments = cu.driver.cuTensorMapEncodeTiled, tiled_arguments(cu, rank)
        out = None
        for _ in loop:
            out = encode(*arguments)
        return out

    return made


def tiled_arguments(cu: Subject, rank: int) -> tuple[Any, ...]:
    """Return what describes a tiled tensor map of *rank*."""
    u32, u64 = cu.driver.cuuint32_t, cu.driver.cuuint64_t
    return (
        cu.driver.CUtensorMapDataType.CU_TENSOR_MAP_DATA_TYPE_FLOAT32,
        rank,
        cu.buffer,
        [u64(size) for size in SIZES[:rank]],
        [u64(stride) for stride in STRIDES[: max(1, rank - 1)]],
        [u32(size) for size in BOX[:rank]],
        [u32(step) for step in STEPS[:rank]],
        *plain(cu),
    )


def plain(cu: Subject) -> tuple[Any, ...]:
    """Return the last arguments: not interleaved, not swizzled, no L2 promotion, zeros where out of bounds."""
    driver = cu.driver
    return (
        driver.CUtensorMapInterleave.CU_TENSOR_MAP_INTERLEAVE_NONE,
        driver.CUtensorMapSwizzle.CU_TENSOR_MAP_SWIZZLE_NONE,
        driver.CUtensorMapL2promotion.CU_TENSOR_MAP_L2_PROMOTION_NONE,
        driver.CUtensorMapFloatOOBfill.CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE,
    )


tiled(1)
tiled_2 = tiled(2)
tiled(3)
tiled(4)
tiled(5)


@tiled_2(
    "core",
    calls="cuCtxGetCurrent cuCtxGetDevice cuTensorMapEncodeTiled",
    differs="cuda.core also asks for the current device, and works out the lists from a StridedMemoryView",
)
def _(loop: Loop, cu: Subject) -> object:
    view = cu.view_from("cuda_array_interface")(cu.array_on_device(SIZES[1::-1]), -1)
    if not hasattr(view, "as_tensor_map"):
        raise NotInThisVersion("cuda.core 0.7 brings it")
    encode, box = view.as_tensor_map, BOX[1::-1]
    for _ in loop:
        encode(box)
    return None


def rebuilt(rank: int) -> Case:
    """Declare the encoding of one descriptor of *rank* whose lists are built anew each turn."""
    made = case(
        f"tensormap.tiled_{rank}_rebuilt",
        f"Encode a tiled descriptor of rank {rank}, its lists of cuuint64_t and cuuint32_t built anew each turn.",
        calls="cuTensorMapEncodeTiled",
        references="#659 #898",
        needs=NEEDS,
    )

    @made("bindings")
    def _(loop: Loop, cu: Subject) -> object:
        encode, u32, u64 = cu.driver.cuTensorMapEncodeTiled, cu.driver.cuuint32_t, cu.driver.cuuint64_t
        first, last = tiled_arguments(cu, rank)[:3], plain(cu)
        sizes, strides, box, steps = SIZES[:rank], STRIDES[: max(1, rank - 1)], BOX[:rank], STEPS[:rank]
        out = None
        for _ in loop:
            out = encode(*first, [*map(u64, sizes)], [*map(u64, strides)], [*map(u32, box)], [*map(u32, steps)], *last)
        return out

    return made


rebuilt(1)
rebuilt(2)
rebuilt(3)
rebuilt(4)
rebuilt(5)


im2col = case(
    "tensormap.im2col",
    "Encode an im2col descriptor of rank 4, its lists built outside the loop.",
    calls="cuTensorMapEncodeIm2col",
    references="#659 #898 #940",
    needs=NEEDS,
)


@im2col("bindings")
def _(loop: Loop, cu: Subject) -> object:
    encode = cu.driver.cuTensorMapEncodeIm2col
    kind, rank, address, sizes, strides, _, steps, *last = tiled_arguments(cu, 4)
    lower, upper = [0, 0], [0, 0]
    out = None
    for _ in loop:
        out = encode(kind, rank, address, sizes, strides, lower, upper, 8, 4, steps, *last)
    return out


wide = case(
    "tensormap.im2col_wide",
    "Encode a wide im2col descriptor of rank 4, its lists built outside the loop.",
    calls="cuTensorMapEncodeIm2colWide",
    references="#659 #898 #940",
    needs=WIDE_NEEDS,
)


@wide("bindings")
def _(loop: Loop, cu: Subject) -> object:
    encode = cu.driver.cuTensorMapEncodeIm2colWide
    kind, rank, address, sizes, strides, _, steps, interleave, _, promotion, fill = tiled_arguments(cu, 4)
    mode = cu.driver.CUtensorMapIm2ColWideMode.CU_TENSOR_MAP_IM2COL_WIDE_MODE_W
    swizzle = cu.driver.CUtensorMapSwizzle.CU_TENSOR_MAP_SWIZZLE_128B
    out = None
    for _ in loop:
        out = encode(kind, rank, address, sizes, strides, 0, 0, 8, 4, steps, interleave, mode, swizzle, promotion, fill)
    return out
