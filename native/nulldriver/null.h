/* What the parts of the null driver share.
 *
 * The null driver has one device, which runs nothing: every call has finished when it returns. It keeps the state that a harness
 * looks at between cases: the current context, captures, the memory in use, a sticky error. Nothing but user objects takes a
 * lock, and the calls that cases time write to memory of their own thread only: they cost one to four nanoseconds.
 *
 * Calls that only answer are generated, as weak functions, from the toolkit's headers (ctkmatrix/nulldriver.py); the functions in
 * these files take their place. rename.h is generated, too: empty, but in a tracing build it makes every cuX below null_cuX, and
 * the cuX that is exported writes a line and calls that.
 */
#pragma once
#define __CUDA_API_VERSION_INTERNAL /* every version of every call, under its own name */
#include <cuda.h>
#include <stdatomic.h>
#include <stdint.h>

/* One version of one call: the driver version that introduced it, and whether it is for the per-thread default stream. */
struct null_entry {
  const char *name;
  int version;
  int per_thread;
  void *function;
};

struct null_error {
  CUresult code;
  const char *name;
  const char *text;
};

/* Handles are addresses that no Linux process maps, from HANDLES to DEVICE_ADDRESSES; their lowest bits are free for use. */
#define HANDLES ((uintptr_t)1 << 44)
#define DEVICE_ADDRESSES ((uintptr_t)4 << 44)
#define HANDLE_STEP ((uintptr_t)64)
#define HANDLE_BLOCK ((uintptr_t)1 << 24)

#define PRIMARY_CONTEXT ((CUcontext)0x10000)
#define TOTAL_MEMORY ((size_t)80 << 30)

#pragma GCC visibility push(hidden)
extern const struct null_entry null_table[]; /* sorted by name, then version */
extern const int null_table_length;
extern const struct null_error null_errors[];
extern const int null_errors_length;

extern CUresult null_sticky;
extern __thread CUcontext null_current;
extern __thread uintptr_t null_next_handle;
uintptr_t null_new_block(void);
extern atomic_int null_open_captures;
int null_is_capturing(CUstream stream); /* worth asking only while captures are open */
#pragma GCC visibility pop

/* Asked first by every call that a real driver refuses without a current context, or after a sticky error. */
static inline CUresult null_ready(void) { return null_current ? null_sticky : CUDA_ERROR_INVALID_CONTEXT; }

/* Each thread takes handles from a block of its own. */
static inline uintptr_t null_handle(void) {
  uintptr_t handle = null_next_handle % HANDLE_BLOCK ? null_next_handle : null_new_block();
  null_next_handle = handle + HANDLE_STEP;
  return handle;
}

#define relaxed_load(at) atomic_load_explicit(at, memory_order_relaxed)
#define relaxed_store(at, value) atomic_store_explicit(at, value, memory_order_relaxed)

/* return GIVE(out, value): most of what a driver that does nothing has to do. */
#define GIVE(out, value) (*(out) = (value), CUDA_SUCCESS)
