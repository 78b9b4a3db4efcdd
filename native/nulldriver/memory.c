/* Memory: device addresses stand for nothing, host memory is real, and what is in use is counted. */
#include "null.h"
#include "rename.h"
#include <stdlib.h>

#define HOT __attribute__((flatten)) /* what is called is inlined: cases time this one */

/* --- device addresses --- */

/* An address says all that is to be known about its allocation, so that freeing it needs no table:
 *   bits 44 up   4, which no handle and no mapped page has
 *   bits 42, 43  who counts it
 *   bits 37..41  the power of two that is its size, less 9: sizes are rounded up to one of at least 512 bytes
 *   bits  0..36  a serial number times the size: live allocations do not overlap until 128 GiB of one size have passed by */
enum counted { DEFAULT_POOL, OTHER_POOLS, NO_POOL, IN_GRAPH, COUNTED };
#define SMALLEST 9
#define WINDOW ((CUdeviceptr)1 << 37)

static int is_device(CUdeviceptr address) { return address >> 44 == DEVICE_ADDRESSES >> 44; }
static int is_handle(CUdeviceptr address) { return address >= HANDLES && address < DEVICE_ADDRESSES; }
static enum counted counted_by(CUdeviceptr address) { return (enum counted)(address >> 42 & 3); }
static int64_t size_of(CUdeviceptr address) { return (int64_t)1 << ((address >> 37 & 31) + SMALLEST); }

static CUdeviceptr new_address(enum counted by, unsigned int power) {
  CUdeviceptr serial = null_handle() / HANDLE_STEP;
  return DEVICE_ADDRESSES | (CUdeviceptr)by << 42 | (CUdeviceptr)(power - SMALLEST) << 37 | (serial << power) % WINDOW;
}

/* --- bytes in use --- */

/* Each thread counts for itself, since an atomic addition would cost more than the rest of an allocation; a thread that frees
 * what another allocated goes below zero, and the sum is right. A tally stays when its thread ends: so may its
 * allocations. */
static struct tally {
  struct tally *next;
  _Atomic int64_t used[COUNTED];
  _Atomic int64_t high[COUNTED];
} *_Atomic tallies;
static __thread struct tally *own_tally;

__attribute__((noinline)) static struct tally *new_tally(void) {
  struct tally *tally = calloc(1, sizeof *tally);
  if (!tally) abort();
  tally->next = atomic_load(&tallies);
  while (!atomic_compare_exchange_weak(&tallies, &tally->next, tally)) {}
  return own_tally = tally;
}

static void count(enum counted by, int64_t bytes) {
  struct tally *tally = own_tally ? own_tally : new_tally();
  int64_t used = relaxed_load(&tally->used[by]) + bytes;
  relaxed_store(&tally->used[by], used);
  if (used > relaxed_load(&tally->high[by])) relaxed_store(&tally->high[by], used);
}

static cuuint64_t bytes_used(enum counted by) {
  int64_t sum = 0;
  for (struct tally *tally = atomic_load(&tallies); tally; tally = tally->next) sum += relaxed_load(&tally->used[by]);
  return (cuuint64_t)sum;
}

/* Exact while one thread allocates, an upper bound where several do. */
static cuuint64_t bytes_high(enum counted by) {
  int64_t sum = 0;
  for (struct tally *tally = atomic_load(&tallies); tally; tally = tally->next) sum += relaxed_load(&tally->high[by]);
  return (cuuint64_t)sum;
}

static void reset_high(enum counted by) {
  for (struct tally *tally = atomic_load(&tallies); tally; tally = tally->next)
    relaxed_store(&tally->high[by], relaxed_load(&tally->used[by]));
}

/* --- allocating and freeing --- */

static CUresult allocate(CUdeviceptr *address, size_t bytes, enum counted by) {
  CUresult refused = null_ready();
  if (refused) return refused;
  if (bytes == 0) return CUDA_ERROR_INVALID_VALUE;
  if (bytes > TOTAL_MEMORY) return CUDA_ERROR_OUT_OF_MEMORY;
  unsigned int power = 64 - (unsigned int)__builtin_clzll((bytes - 1) | ((1 << SMALLEST) - 1));
  count(by, (int64_t)1 << power);
  return GIVE(address, new_address(by, power));
}

/* Host memory lies behind its size. Each thread keeps the block that it freed last for the next that is as large: what malloc
 * does for an aligned block depends on all that the program did before, by hundreds of instructions. */
#define HEADER 512
static __thread size_t *kept;

static CUresult allocate_host(void **address, size_t bytes) {
  CUresult refused = null_ready();
  if (refused) return refused;
  size_t *block = kept, size = (bytes + 511) / 512 * 512;
  if (block && *block == size) kept = NULL;
  else if (!(block = aligned_alloc(512, size + HEADER))) return CUDA_ERROR_OUT_OF_MEMORY;
  *block = size;
  return GIVE(address, (char *)block + HEADER);
}

static void free_host(void *address) {
  size_t *block = (size_t *)((char *)address - HEADER);
  if (!address) return;
  if (kept) free(block);
  else kept = block;
}

CUresult cuMemAlloc_v2(CUdeviceptr *address, size_t bytes) { return allocate(address, bytes, NO_POOL); }

CUresult cuMemAllocPitch_v2(CUdeviceptr *address, size_t *pitch, size_t width, size_t height, unsigned int element) {
  *pitch = (width + 511) / 512 * 512;
  return allocate(address, *pitch * height, NO_POOL);
}

CUresult cuMemAllocManaged(CUdeviceptr *address, size_t bytes, unsigned int flags) {
  return allocate_host((void **)address, bytes);
}

CUresult cuMemHostAlloc(void **address, size_t bytes, unsigned int flags) { return allocate_host(address, bytes); }

CUresult cuMemAllocHost_v2(void **address, size_t bytes) { return allocate_host(address, bytes); }

CUresult cuMemFreeHost(void *address) {
  free_host(address);
  return CUDA_SUCCESS;
}

/* A generated call may have given a handle for an address: it stands for nothing. What is left is host memory. */
HOT CUresult cuMemFree_v2(CUdeviceptr address) {
  if (is_device(address)) count(counted_by(address), -size_of(address));
  else if (!is_handle(address)) free_host((void *)address);
  return null_sticky;
}

HOT CUresult cuMemFreeAsync(CUdeviceptr address, CUstream stream) { return cuMemFree_v2(address); }

/* --- pools --- */

/* The pools that a program creates on the device share one count. Pools of host or managed memory give memory that the host may
 * touch, which is not counted. Nothing is held back for later: what is reserved is what is used. */
#define DEVICE_DEFAULT ((CUmemoryPool)0x20000)
#define HOST_POOL ((CUmemoryPool)0x20100)

static CUmemoryPool device_pool = DEVICE_DEFAULT;
static cuuint64_t release_threshold[OTHER_POOLS + 1];

static enum counted pool_count(CUmemoryPool pool) { return pool == DEVICE_DEFAULT ? DEFAULT_POOL : OTHER_POOLS; }

static enum counted counter_of(CUmemoryPool pool, CUstream stream) {
  if (relaxed_load(&null_open_captures) && null_is_capturing(stream)) return IN_GRAPH;
  return pool_count(pool);
}

HOT CUresult cuMemAllocFromPoolAsync(CUdeviceptr *address, size_t bytes, CUmemoryPool pool, CUstream stream) {
  if (pool == HOST_POOL) return allocate_host((void **)address, bytes);
  return allocate(address, bytes, counter_of(pool, stream));
}

HOT CUresult cuMemAllocAsync(CUdeviceptr *address, size_t bytes, CUstream stream) {
  return cuMemAllocFromPoolAsync(address, bytes, device_pool, stream);
}

CUresult cuMemPoolCreate(CUmemoryPool *pool, const CUmemPoolProps *properties) {
  return GIVE(pool, properties->location.type == CU_MEM_LOCATION_TYPE_DEVICE ? (CUmemoryPool)null_handle() : HOST_POOL);
}

CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *pool, CUdevice device) { return GIVE(pool, DEVICE_DEFAULT); }

CUresult cuDeviceGetMemPool(CUmemoryPool *pool, CUdevice device) { return GIVE(pool, device_pool); }

CUresult cuDeviceSetMemPool(CUdevice device, CUmemoryPool pool) { return GIVE(&device_pool, pool); }

static int on_device(const CUmemLocation *location, CUmemAllocationType type) {
  return location->type == CU_MEM_LOCATION_TYPE_DEVICE && type == CU_MEM_ALLOCATION_TYPE_PINNED;
}

CUresult cuMemGetDefaultMemPool(CUmemoryPool *pool, CUmemLocation *location, CUmemAllocationType type) {
  return GIVE(pool, on_device(location, type) ? DEVICE_DEFAULT : HOST_POOL);
}

CUresult cuMemGetMemPool(CUmemoryPool *pool, CUmemLocation *location, CUmemAllocationType type) {
  return GIVE(pool, on_device(location, type) ? device_pool : HOST_POOL);
}

CUresult cuMemSetMemPool(CUmemLocation *location, CUmemAllocationType type, CUmemoryPool pool) {
  if (on_device(location, type)) device_pool = pool;
  return CUDA_SUCCESS;
}

CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void *value) {
  enum counted by = pool_count(pool);
  switch (attribute) {
  case CU_MEMPOOL_ATTR_USED_MEM_CURRENT:
  case CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT: return GIVE((cuuint64_t *)value, bytes_used(by));
  case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
  case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH: return GIVE((cuuint64_t *)value, bytes_high(by));
  case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD: return GIVE((cuuint64_t *)value, release_threshold[by]);
  case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
  case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
  case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES: return GIVE((int *)value, 1);
  default: return GIVE((int *)value, 0);
  }
}

CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void *value) {
  enum counted by = pool_count(pool);
  if (attribute == CU_MEMPOOL_ATTR_USED_MEM_HIGH || attribute == CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH) reset_high(by);
  if (attribute == CU_MEMPOOL_ATTR_RELEASE_THRESHOLD) release_threshold[by] = *(cuuint64_t *)value;
  return CUDA_SUCCESS;
}

/* --- asking about memory --- */

CUresult cuMemGetInfo_v2(size_t *free, size_t *total) {
  *total = TOTAL_MEMORY;
  *free = TOTAL_MEMORY - bytes_used(DEFAULT_POOL) - bytes_used(OTHER_POOLS) - bytes_used(NO_POOL);
  return null_ready();
}

CUresult cuMemGetAddressRange_v2(CUdeviceptr *base, size_t *size, CUdeviceptr address) {
  if (!is_device(address)) return CUDA_ERROR_NOT_FOUND;
  if (base) *base = address & ~((CUdeviceptr)size_of(address) - 1);
  if (size) *size = (size_t)size_of(address);
  return CUDA_SUCCESS;
}

CUresult cuMemGetAllocationGranularity(size_t *bytes, const CUmemAllocationProp *of, CUmemAllocationGranularity_flags option) {
  return GIVE(bytes, 2 << 20);
}

CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *device, void *host, unsigned int flags) {
  return GIVE(device, (CUdeviceptr)host);
}

/* Memory that is not the device's is answered for as memory that the driver has never seen. */
static void pointer_attribute(void *value, CUpointer_attribute attribute, CUdeviceptr address) {
  int known = is_device(address);
  switch (attribute) {
  case CU_POINTER_ATTRIBUTE_CONTEXT: *(CUcontext *)value = known ? PRIMARY_CONTEXT : NULL; break;
  case CU_POINTER_ATTRIBUTE_MEMORY_TYPE: *(unsigned int *)value = known ? CU_MEMORYTYPE_DEVICE : 0; break;
  case CU_POINTER_ATTRIBUTE_DEVICE_POINTER: *(CUdeviceptr *)value = known ? address : 0; break;
  case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL: *(int *)value = known ? 0 : CU_DEVICE_INVALID; break;
  case CU_POINTER_ATTRIBUTE_IS_MANAGED: *(int *)value = 0; break;
  default: break;
  }
}

CUresult cuPointerGetAttribute(void *value, CUpointer_attribute attribute, CUdeviceptr address) {
  if (!is_device(address)) return CUDA_ERROR_INVALID_VALUE;
  pointer_attribute(value, attribute, address);
  return CUDA_SUCCESS;
}

CUresult cuPointerGetAttributes(unsigned int count, CUpointer_attribute *attributes, void **values, CUdeviceptr address) {
  for (unsigned int i = 0; i < count; i++) pointer_attribute(values[i], attributes[i], address);
  return CUDA_SUCCESS;
}
