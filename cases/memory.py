"""Device memory: allocating, copying, filling, and the pools behind it."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any, TypeAlias

from ctkmatrix.probe.loop import Loop
from ctkmatrix.probe.registry import Case, case
from ctkmatrix.probe.subject import NotInThisVersion, Subject

SIZE = 1024
NOTHING, EVERYTHING = 0, 2**64 - 1

CUDART = "cudaMallocAsync and cudaFreeAsync"

FROM_POOL = "cuCtxGetCurrent cuStreamIsCapturing cuMemAllocFromPoolAsync cuMemFreeAsync"
NAMES_THE_POOL = "cuda.core names the pool, and also asks which context is current and whether the stream is being captured"

WAITS_FOR_THE_STREAM = "cuda.core waits for the default stream before it frees, and asks twice which context is current"

Pool: TypeAlias = Callable[[Subject], AbstractContextManager[None]]
"""What the device's default pool is like while a case runs."""


@contextmanager
def live_block(cu: Subject) -> Iterator[None]:
    """Hold a block of the device's default pool."""
    block = cu.check(cu.driver.cuMemAllocAsync(SIZE, cu.stream))
    try:
        yield
    finally:
        cu.check(cu.driver.cuMemFreeAsync(block, cu.stream))


@contextmanager
def release_threshold(cu: Subject, size: int) -> Iterator[None]:
    """Let the device's default pool keep *size* unused bytes when a stream is synchronised; afterwards, as many as before."""
    driver = cu.driver
    attribute = driver.CUmemPool_attribute.CU_MEMPOOL_ATTR_RELEASE_THRESHOLD
    pool = cu.check(driver.cuDeviceGetDefaultMemPool(0))
    before = cu.check(driver.cuMemPoolGetAttribute(pool, attribute))
    cu.check(driver.cuMemPoolSetAttribute(pool, attribute, driver.cuuint64_t(size)))
    try:
        yield
    finally:
        cu.check(driver.cuMemPoolSetAttribute(pool, attribute, before))


def keeps_nothing(cu: Subject) -> AbstractContextManager[None]:
    """Have the pool give all that is unused back when a stream is synchronised."""
    return release_threshold(cu, NOTHING)


def keeps_everything(cu: Subject) -> AbstractContextManager[None]:
    """Have the pool give nothing back."""
    return release_threshold(cu, EVERYTHING)


def alloc_and_free(name: str, title: str, pool: Pool) -> Case:
    """Declare the case of allocating on a stream and freeing there, while the default pool is as *pool* has it."""
    made = case(name, title, calls="cuMemAllocAsync cuMemFreeAsync", references="#756 #876", asynchronous=True)

    @made("bindings")
    def _(loop: Loop, cu: Subject) -> object:
        alloc, free, stream = cu.driver.cuMemAllocAsync, cu.driver.cuMemFreeAsync, cu.stream
        out = None
        with pool(cu):
            for _ in loop:
                _, pointer = alloc(SIZE, stream)
                out = free(pointer, stream)
        return out

    @made("core", calls=FROM_POOL, differs=NAMES_THE_POOL)
    def _(loop: Loop, cu: Subject) -> object:
        allocate, stream = cu.allocate, cu.core_stream
        with pool(cu):
            for _ in loop:
                allocate(SIZE, stream=stream).close()
        return None

    return made


alloc_free = alloc_and_free(
    "memory.alloc_free",
    "Allocate 1 KiB on a stream and free it there, while the pool holds a live block.",
    live_block,
)
alloc_free.native_runtime(differs=CUDART)


@alloc_free("bindings-runtime", calls="", differs=CUDART, needs="gpu")
def _(loop: Loop, cu: Subject) -> object:
    alloc, free, stream = cu.runtime.cudaMallocAsync, cu.runtime.cudaFreeAsync, cu.stream
    out = None
    with live_block(cu):
        for _ in loop:
            _, pointer = alloc(SIZE, stream)
            out = free(pointer, stream)
    return out


alloc_free_empty = alloc_and_free(
    "memory.alloc_free.empty_pool",
    "Allocate 1 KiB on a stream and free it there, in a pool that is empty when a burst begins: no live block, no threshold.",
    keeps_nothing,
)
alloc_free_threshold = alloc_and_free(
    "memory.alloc_free.threshold",
    "Allocate 1 KiB on a stream and free it there, while the pool's release threshold lets it keep everything.",
    keeps_everything,
)


def alloc_free_and_wait(name: str, title: str, pool: Pool, *, isolated: bool = False) -> Case:
    """Declare the case of allocating, freeing and waiting for the stream, while the default pool is as *pool* has it."""
    calls = "cuMemAllocAsync cuMemFreeAsync cuStreamSynchronize"
    made = case(name, title, calls=calls, references="#756 #876", isolated=isolated)

    @made("bindings")
    def _(loop: Loop, cu: Subject) -> object:
        alloc, free, stream = cu.driver.cuMemAllocAsync, cu.driver.cuMemFreeAsync, cu.stream
        wait = cu.driver.cuStreamSynchronize
        out = None
        with pool(cu):
            for _ in loop:
                _, pointer = alloc(SIZE, stream)
                free(pointer, stream)
                out = wait(stream)
        return out

    @made("core", calls=f"{FROM_POOL} cuStreamSynchronize", differs=NAMES_THE_POOL)
    def _(loop: Loop, cu: Subject) -> object:
        allocate, stream = cu.allocate, cu.core_stream
        with pool(cu):
            for _ in loop:
                allocate(SIZE, stream=stream).close()
                stream.sync()
        return None

    return made


alloc_free_sync = alloc_free_and_wait(
    "memory.alloc_free_sync",
    "Allocate 1 KiB on a stream, free it there and wait for the stream, while the pool holds a live block.",
    live_block,
)
alloc_free_sync_empty = alloc_free_and_wait(
    "memory.alloc_free_sync.empty_pool",
    "Allocate 1 KiB on a stream, free it there and wait for the stream; its pool is otherwise empty and keeps nothing.",
    keeps_nothing,
    isolated=True,
)


@alloc_free_sync_empty(
    "cupy",
    calls="",
    differs="CuPy's own pool keeps the block and makes an array of it; the wait is cudaDeviceSynchronize",
    needs="gpu",
)
def _(loop: Loop, cu: Subject) -> object:
    empty, wait = cu.cupy.empty, cu.cupy.cuda.runtime.deviceSynchronize
    for _ in loop:
        empty(SIZE, "u1")
        wait()
    cu.cupy.get_default_memory_pool().free_all_blocks()
    return None


alloc_free_sync_threshold = alloc_free_and_wait(
    "memory.alloc_free_sync.threshold",
    "Allocate 1 KiB on a stream, free it there and wait for the stream; the pool's release threshold lets it keep everything.",
    keeps_everything,
)


alloc_free_legacy = case(
    "memory.alloc_free_legacy",
    "Allocate 1 KiB without a stream and free it: cuMemAlloc and cuMemFree.",
    calls="cuMemAlloc cuMemFree",
    references="#756 #876",
)


@alloc_free_legacy("bindings")
def _(loop: Loop, cu: Subject) -> object:
    alloc, free = cu.driver.cuMemAlloc, cu.driver.cuMemFree
    out = None
    for _ in loop:
        _, pointer = alloc(SIZE)
        out = free(pointer)
    return out


@alloc_free_legacy(
    "core", calls="cuMemAlloc cuCtxGetCurrent cuCtxGetCurrent cuStreamSynchronize cuMemFree", differs=WAITS_FOR_THE_STREAM
)
def _(loop: Loop, cu: Subject) -> object:
    allocate = cu.synchronous_resource.allocate
    for _ in loop:
        allocate(SIZE).close()
    return None


alloc_free_pinned = case(
    "memory.alloc_free_pinned",
    "Allocate 1 KiB of pinned host memory and free it: cuMemAllocHost and cuMemFreeHost.",
    calls="cuMemAllocHost cuMemFreeHost",
    references="#756 #876",
)


@alloc_free_pinned("bindings")
def _(loop: Loop, cu: Subject) -> object:
    alloc, free = cu.driver.cuMemAllocHost, cu.driver.cuMemFreeHost
    out = None
    for _ in loop:
        _, pointer = alloc(SIZE)
        out = free(pointer)
    return out


@alloc_free_pinned(
    "core", calls="cuMemAllocHost cuCtxGetCurrent cuCtxGetCurrent cuStreamSynchronize cuMemFreeHost", differs=WAITS_FOR_THE_STREAM
)
def _(loop: Loop, cu: Subject) -> object:
    allocate = cu.core.LegacyPinnedMemoryResource().allocate
    for _ in loop:
        allocate(SIZE).close()
    return None


def pool_of(cu: Subject, where: object) -> Any:
    """Return the CUmemPoolProps of a pool of memory *where* a CUmemLocationType says."""
    properties = cu.driver.CUmemPoolProps()
    properties.allocType = cu.driver.CUmemAllocationType.CU_MEM_ALLOCATION_TYPE_PINNED
    properties.location.type = where
    return properties


alloc_free_pinned_pool = case(
    "memory.alloc_free_pinned_pool",
    "Allocate 1 KiB of a pool of pinned host memory on a stream and free it there.",
    calls="cuMemAllocFromPoolAsync cuMemFreeAsync",
    references="#756 #876",
    asynchronous=True,
)


@alloc_free_pinned_pool("bindings")
def _(loop: Loop, cu: Subject) -> object:
    driver, stream = cu.driver, cu.stream
    alloc, free = driver.cuMemAllocFromPoolAsync, driver.cuMemFreeAsync
    pool = cu.check(driver.cuMemPoolCreate(pool_of(cu, driver.CUmemLocationType.CU_MEM_LOCATION_TYPE_HOST_NUMA)))
    out = None
    for _ in loop:
        _, pointer = alloc(SIZE, pool, stream)
        out = free(pointer, stream)
    cu.check(driver.cuMemPoolDestroy(pool))
    return out


@alloc_free_pinned_pool(
    "core",
    calls=FROM_POOL,
    differs="cuda.core also asks which context is current and whether the stream is being captured; its pool has no NUMA node",
)
def _(loop: Loop, cu: Subject) -> object:
    resource, stream = cu.pinned_pool(), cu.core_stream
    allocate = resource.allocate
    for _ in loop:
        allocate(SIZE, stream=stream).close()
    resource.close()
    return None


copy_h2d = case(
    "memory.copy_h2d",
    "Copy 1 KiB of pageable host memory to the device: cuMemcpyHtoD, which returns when it has read the source.",
    calls="cuMemcpyHtoD",
    references="#1579 #1580",
    asynchronous=True,
)


@copy_h2d("bindings")
def _(loop: Loop, cu: Subject) -> object:
    copy, device, host = cu.driver.cuMemcpyHtoD, cu.driver.CUdeviceptr(cu.buffer), bytearray(SIZE)
    out = None
    for _ in loop:
        out = copy(device, host, SIZE)
    return out


copy_d2h = case(
    "memory.copy_d2h",
    "Copy 1 KiB of the device to pageable host memory: cuMemcpyDtoH.",
    calls="cuMemcpyDtoH",
    references="#1579 #1580",
)


@copy_d2h("bindings")
def _(loop: Loop, cu: Subject) -> object:
    copy, device, host = cu.driver.cuMemcpyDtoH, cu.driver.CUdeviceptr(cu.buffer), bytearray(SIZE)
    out = None
    for _ in loop:
        out = copy(host, device, SIZE)
    return out


copy_d2d = case(
    "memory.copy_d2d",
    "Copy 1 KiB within the device: cuMemcpyDtoD, which does not wait for the copy.",
    calls="cuMemcpyDtoD",
    references="#756 #876",
    asynchronous=True,
)


@copy_d2d("bindings")
def _(loop: Loop, cu: Subject) -> object:
    driver = cu.driver
    source, target, copy = driver.CUdeviceptr(cu.buffer), driver.CUdeviceptr(cu.buffer + SIZE), driver.cuMemcpyDtoD
    out = None
    for _ in loop:
        out = copy(target, source, SIZE)
    return out


@contextmanager
def pinned(cu: Subject) -> Iterator[Any]:
    """Lend pinned host memory, by the CUdeviceptr that a copy takes, until the stream has done with it."""
    driver = cu.driver
    host = cu.check(driver.cuMemAllocHost(SIZE))
    try:
        yield driver.CUdeviceptr(int(host))
    finally:
        cu.check(driver.cuStreamSynchronize(cu.stream))
        cu.check(driver.cuMemFreeHost(host))


@contextmanager
def core_buffers(cu: Subject) -> Iterator[tuple[Any, Any]]:
    """Lend a Buffer of the device and one of pinned host memory until the stream has done with both."""
    host = cu.core.LegacyPinnedMemoryResource().allocate(SIZE)
    device = cu.allocate(SIZE, stream=cu.core_stream)
    try:
        yield device, host
    finally:
        device.close()
        cu.core_stream.sync()
        host.close()


copy_h2d_async = case(
    "memory.copy_h2d_async",
    "Copy 1 KiB of pinned host memory to the device on a stream: cuMemcpyAsync, or Buffer.copy_from.",
    calls="cuMemcpyAsync",
    references="#756 #876",
    asynchronous=True,
)


@copy_h2d_async("bindings")
def _(loop: Loop, cu: Subject) -> object:
    target, copy, stream = cu.driver.CUdeviceptr(cu.buffer), cu.driver.cuMemcpyAsync, cu.stream
    out = None
    with pinned(cu) as source:
        for _ in loop:
            out = copy(target, source, SIZE, stream)
    return out


@copy_h2d_async("core")
def _(loop: Loop, cu: Subject) -> object:
    stream = cu.core_stream
    with core_buffers(cu) as (target, source):
        copy_from = target.copy_from
        for _ in loop:
            copy_from(source, stream=stream)
    return None


copy_d2h_async = case(
    "memory.copy_d2h_async",
    "Copy 1 KiB of the device to pinned host memory on a stream: cuMemcpyAsync, or Buffer.copy_to.",
    calls="cuMemcpyAsync",
    references="#756 #876",
    asynchronous=True,
)


@copy_d2h_async("bindings")
def _(loop: Loop, cu: Subject) -> object:
    source, copy, stream = cu.driver.CUdeviceptr(cu.buffer), cu.driver.cuMemcpyAsync, cu.stream
    out = None
    with pinned(cu) as target:
        for _ in loop:
            out = copy(target, source, SIZE, stream)
    return out


@copy_d2h_async("core")
def _(loop: Loop, cu: Subject) -> object:
    stream = cu.core_stream
    with core_buffers(cu) as (source, target):
        copy_to = source.copy_to
        for _ in loop:
            copy_to(target, stream=stream)
    return None


copy_d2d_async = case(
    "memory.copy_d2d_async",
    "Copy 1 KiB within the device on a stream: cuMemcpyAsync, or Buffer.copy_to.",
    calls="cuMemcpyAsync",
    references="#756 #876",
    asynchronous=True,
)


@copy_d2d_async("bindings")
def _(loop: Loop, cu: Subject) -> object:
    driver, stream = cu.driver, cu.stream
    source, target, copy = driver.CUdeviceptr(cu.buffer), driver.CUdeviceptr(cu.buffer + SIZE), driver.cuMemcpyAsync
    out = None
    for _ in loop:
        out = copy(target, source, SIZE, stream)
    return out


@copy_d2d_async("core")
def _(loop: Loop, cu: Subject) -> object:
    allocate, stream = cu.allocate, cu.core_stream
    source, target = allocate(SIZE, stream=stream), allocate(SIZE, stream=stream)
    copy_to = source.copy_to
    for _ in loop:
        copy_to(target, stream=stream)
    source.close()
    target.close()
    return None


fill = case(
    "memory.fill",
    "Fill 1 KiB of the device with zeros on a stream: cuMemsetD8Async, or Buffer.fill.",
    calls="cuMemsetD8Async",
    references="#756 #876",
    asynchronous=True,
)


@fill("bindings")
def _(loop: Loop, cu: Subject) -> object:
    set_bytes, target, stream = cu.driver.cuMemsetD8Async, cu.driver.CUdeviceptr(cu.buffer), cu.stream
    out = None
    for _ in loop:
        out = set_bytes(target, 0, SIZE, stream)
    return out


@fill("core")
def _(loop: Loop, cu: Subject) -> object:
    if not hasattr(cu.core.Buffer, "fill"):
        raise NotInThisVersion("cuda.core 0.5 brings Buffer.fill")
    stream = cu.core_stream
    target = cu.allocate(SIZE, stream=stream)
    fill_with = target.fill
    for _ in loop:
        fill_with(0, stream=stream)
    target.close()
    return None


resource_default = case(
    "memory.resource_default",
    "The device's current pool: cuDeviceGetMemPool, or DeviceMemoryResource(0).",
    calls="cuDeviceGetMemPool",
    references="#1274",
)


@resource_default("bindings")
def _(loop: Loop, cu: Subject) -> object:
    get = cu.driver.cuDeviceGetMemPool
    out = None
    for _ in loop:
        out = get(0)
    return out


@resource_default(
    "core",
    calls="cuDeviceGetMemPool cuMemPoolGetAttribute",
    differs="cuda.core also looks whether the pool has a release threshold",
)
def _(loop: Loop, cu: Subject) -> object:
    resource, _ = cu.core.DeviceMemoryResource, cu.device
    for _ in loop:
        resource(0)
    return None


resource_create = case(
    "memory.resource_create",
    "Create a pool of device memory and destroy it: cuMemPoolCreate, or DeviceMemoryResource with options.",
    calls="cuMemPoolCreate cuMemPoolDestroy",
    references="#1274",
)


@resource_create("bindings")
def _(loop: Loop, cu: Subject) -> object:
    driver = cu.driver
    create, destroy = driver.cuMemPoolCreate, driver.cuMemPoolDestroy
    properties = pool_of(cu, driver.CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE)
    out = None
    for _ in loop:
        _, pool = create(properties)
        out = destroy(pool)
    return out


@resource_create(
    "core",
    calls="cuMemPoolCreate cuDeviceGetCount cuMemPoolSetAccess cuMemPoolDestroy",
    differs="cuda.core also counts the devices and sets which of them may access the pool",
)
def _(loop: Loop, cu: Subject) -> object:
    if not hasattr(cu.core, "DeviceMemoryResourceOptions"):
        raise NotInThisVersion("cuda.core 0.4 brings DeviceMemoryResourceOptions")
    resource, options, _ = cu.core.DeviceMemoryResource, cu.core.DeviceMemoryResourceOptions(), cu.device
    for _ in loop:
        resource(0, options).close()
    return None


resource_attributes = case(
    "memory.resource_attributes",
    "Read two attributes of the default pool: its release threshold and the bytes in use.",
    calls="cuMemPoolGetAttribute cuMemPoolGetAttribute",
    references="#1274",
)


@resource_attributes("bindings")
def _(loop: Loop, cu: Subject) -> object:
    driver = cu.driver
    get, pool = driver.cuMemPoolGetAttribute, cu.check(driver.cuDeviceGetDefaultMemPool(0))
    threshold = driver.CUmemPool_attribute.CU_MEMPOOL_ATTR_RELEASE_THRESHOLD
    used = driver.CUmemPool_attribute.CU_MEMPOOL_ATTR_USED_MEM_CURRENT
    out = None
    for _ in loop:
        get(pool, threshold)
        out = get(pool, used)
    return out


@resource_attributes("core")
def _(loop: Loop, cu: Subject) -> object:
    if not hasattr(cu.memory_resource, "attributes"):
        raise NotInThisVersion("cuda.core 0.4 brings DeviceMemoryResource.attributes")
    attributes = cu.memory_resource.attributes
    for _ in loop:
        attributes.release_threshold  # noqa: B018 -- reading it is what is measured
        attributes.used_mem_current  # noqa: B018
    return None
