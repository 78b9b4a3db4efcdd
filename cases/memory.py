"""Device memory."""

from ctkmatrix.probe.loop import Loop
from ctkmatrix.probe.registry import case
from ctkmatrix.probe.subject import Subject

SIZE = 1024

alloc_free = case(
    "memory.alloc_free",
    "Allocate 1 KiB on a stream and free it there, while the pool holds a live block.",
    calls="cuMemAllocAsync cuMemFreeAsync",
    references="#756 #876",
    asynchronous=True,
)


@alloc_free("bindings")
def _(loop: Loop, cu: Subject) -> object:
    alloc, free, stream = cu.driver.cuMemAllocAsync, cu.driver.cuMemFreeAsync, cu.stream
    live = cu.check(alloc(SIZE, stream))
    out = None
    for _ in loop:
        _, pointer = alloc(SIZE, stream)
        out = free(pointer, stream)
    cu.check(free(live, stream))
    return out


@alloc_free(
    "core",
    calls="cuMemAllocFromPoolAsync cuMemFreeAsync",
    differs="cuda.core names the pool: cuMemAllocFromPoolAsync",
)
def _(loop: Loop, cu: Subject) -> object:
    allocate, stream = cu.memory_resource.allocate, cu.core_stream
    live = allocate(SIZE, stream=stream)
    for _ in loop:
        allocate(SIZE, stream=stream).close()
    live.close()
    return None
