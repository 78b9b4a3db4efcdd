// Mirrors cases/memory.py.
#include "driver.hpp"

DRIVER(DeviceGetDefaultMemPool, 11020)
DRIVER(DeviceGetMemPool, 11020)
DRIVER(MemAlloc, 3020)
DRIVER(MemAllocAsync, 11020)
DRIVER(MemAllocFromPoolAsync, 11020)
DRIVER(MemAllocHost, 3020)
DRIVER(MemFree, 3020)
DRIVER(MemFreeAsync, 11020)
DRIVER(MemFreeHost, 2000)
DRIVER(MemPoolCreate, 11020)
DRIVER(MemPoolDestroy, 11020)
DRIVER(MemPoolGetAttribute, 11020)
DRIVER(MemPoolSetAttribute, 11020)
DRIVER(MemcpyAsync, 4000)
DRIVER(MemcpyDtoD, 3020)
DRIVER(MemcpyDtoH, 3020)
DRIVER(MemcpyHtoD, 3020)
DRIVER(MemsetD8Async, 3020)
DRIVER(StreamSynchronize, 2000)

namespace {
constexpr std::size_t size = 1024;
constexpr cuuint64_t nothing = 0, everything = ~cuuint64_t(0);

void must(CUresult result) {
  if (result != CUDA_SUCCESS) throw status_of(result);
}

// A block of the device's default pool, held as long as this lives.
class LiveBlock {
 public:
  LiveBlock() { must(driver::MemAllocAsync(&block_, size, stream())); }
  ~LiveBlock() { driver::MemFreeAsync(block_, stream()); }

 private:
  CUdeviceptr block_;
};

// As long as this lives, the device's default pool may keep so many unused bytes when a stream is synchronised.
class ReleaseThreshold {
 public:
  explicit ReleaseThreshold(cuuint64_t bytes) {
    must(driver::DeviceGetDefaultMemPool(&pool_, 0));
    must(driver::MemPoolGetAttribute(pool_, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &before_));
    must(driver::MemPoolSetAttribute(pool_, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &bytes));
  }
  ~ReleaseThreshold() { driver::MemPoolSetAttribute(pool_, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &before_); }

 private:
  CUmemoryPool pool_;
  cuuint64_t before_;
};

Status alloc_free(Loop &loop) {
  const CUstream on = stream();
  CUdeviceptr pointer;
  int status = 0;
  for (auto _ : loop) {
    status |= driver::MemAllocAsync(&pointer, size, on);
    status |= driver::MemFreeAsync(pointer, on);
  }
  return status_of(CUresult(status));
}

Status alloc_free_sync(Loop &loop) {
  const CUstream on = stream();
  CUdeviceptr pointer;
  int status = 0;
  for (auto _ : loop) {
    status |= driver::MemAllocAsync(&pointer, size, on);
    status |= driver::MemFreeAsync(pointer, on);
    status |= driver::StreamSynchronize(on);
  }
  return status_of(CUresult(status));
}

Status copy_async(Loop &loop, CUdeviceptr target, CUdeviceptr source) {
  const CUstream on = stream();
  int status = 0;
  for (auto _ : loop) status |= driver::MemcpyAsync(target, source, size, on);
  status |= driver::StreamSynchronize(on);
  return status_of(CUresult(status));
}

// Pinned host memory, by the address that a copy takes.
class Pinned {
 public:
  Pinned() { must(driver::MemAllocHost(&memory_, size)); }
  ~Pinned() { driver::MemFreeHost(memory_); }
  CUdeviceptr address() const { return reinterpret_cast<CUdeviceptr>(memory_); }

 private:
  void *memory_;
};

CUmemPoolProps pool_of(CUmemLocationType where) {
  CUmemPoolProps properties{};
  properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = where;
  return properties;
}
}  // namespace

CASE("memory.alloc_free") {
  const LiveBlock live;
  return alloc_free(loop);
}

CASE("memory.alloc_free.empty_pool") {
  const ReleaseThreshold threshold(nothing);
  return alloc_free(loop);
}

CASE("memory.alloc_free.threshold") {
  const ReleaseThreshold threshold(everything);
  return alloc_free(loop);
}

CASE("memory.alloc_free_sync") {
  const LiveBlock live;
  return alloc_free_sync(loop);
}

CASE("memory.alloc_free_sync.empty_pool") {
  const ReleaseThreshold threshold(nothing);
  return alloc_free_sync(loop);
}

CASE("memory.alloc_free_sync.threshold") {
  const ReleaseThreshold threshold(everything);
  return alloc_free_sync(loop);
}

CASE("memory.alloc_free_legacy") {
  CUdeviceptr pointer;
  int status = 0;
  for (auto _ : loop) {
    status |= driver::MemAlloc(&pointer, size);
    status |= driver::MemFree(pointer);
  }
  return status_of(CUresult(status));
}

CASE("memory.alloc_free_pinned") {
  void *pointer;
  int status = 0;
  for (auto _ : loop) {
    status |= driver::MemAllocHost(&pointer, size);
    status |= driver::MemFreeHost(pointer);
  }
  return status_of(CUresult(status));
}

CASE("memory.alloc_free_pinned_pool") {
  const CUstream on = stream();
  const CUmemPoolProps properties = pool_of(CU_MEM_LOCATION_TYPE_HOST_NUMA);
  CUmemoryPool pool;
  must(driver::MemPoolCreate(&pool, &properties));
  CUdeviceptr pointer;
  int status = 0;
  for (auto _ : loop) {
    status |= driver::MemAllocFromPoolAsync(&pointer, size, pool, on);
    status |= driver::MemFreeAsync(pointer, on);
  }
  status |= driver::MemPoolDestroy(pool);
  return status_of(CUresult(status));
}

CASE("memory.copy_h2d") {
  const CUdeviceptr device = buffer();
  const std::string host(size, '\0');
  int status = 0;
  for (auto _ : loop) status |= driver::MemcpyHtoD(device, host.data(), size);
  return status_of(CUresult(status));
}

CASE("memory.copy_d2h") {
  const CUdeviceptr device = buffer();
  std::string host(size, '\0');
  int status = 0;
  for (auto _ : loop) status |= driver::MemcpyDtoH(host.data(), device, size);
  return status_of(CUresult(status));
}

CASE("memory.copy_d2d") {
  const CUdeviceptr source = buffer(), target = buffer() + size;
  int status = 0;
  for (auto _ : loop) status |= driver::MemcpyDtoD(target, source, size);
  return status_of(CUresult(status));
}

CASE("memory.copy_h2d_async") {
  const Pinned host;
  return copy_async(loop, buffer(), host.address());
}

CASE("memory.copy_d2h_async") {
  const Pinned host;
  return copy_async(loop, host.address(), buffer());
}

CASE("memory.copy_d2d_async") { return copy_async(loop, buffer() + size, buffer()); }

CASE("memory.fill") {
  const CUdeviceptr device = buffer();
  const CUstream on = stream();
  int status = 0;
  for (auto _ : loop) status |= driver::MemsetD8Async(device, 0, size, on);
  return status_of(CUresult(status));
}

CASE("memory.resource_default") {
  CUmemoryPool pool;
  int status = 0;
  for (auto _ : loop) status |= driver::DeviceGetMemPool(&pool, 0);
  return status_of(CUresult(status));
}

CASE("memory.resource_create") {
  const CUmemPoolProps properties = pool_of(CU_MEM_LOCATION_TYPE_DEVICE);
  CUmemoryPool pool;
  int status = 0;
  for (auto _ : loop) {
    status |= driver::MemPoolCreate(&pool, &properties);
    status |= driver::MemPoolDestroy(pool);
  }
  return status_of(CUresult(status));
}

CASE("memory.resource_attributes") {
  CUmemoryPool pool;
  cuuint64_t threshold, used;
  int status = driver::DeviceGetDefaultMemPool(&pool, 0);
  for (auto _ : loop) {
    status |= driver::MemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold);
    status |= driver::MemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used);
  }
  return status_of(CUresult(status));
}
