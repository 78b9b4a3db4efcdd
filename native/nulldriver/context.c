/* Contexts: a stack in each thread, whose top is the current one. */
#include "null.h"
#include "rename.h"

#define DEEPEST 16

__thread CUcontext null_current;
static __thread CUcontext below[DEEPEST];
static __thread int depth;
static atomic_int retained;

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
  atomic_fetch_add(&retained, 1);
  return GIVE(context, PRIMARY_CONTEXT);
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
  if (atomic_fetch_sub(&retained, 1) > 0) return CUDA_SUCCESS;
  atomic_fetch_add(&retained, 1);
  return CUDA_ERROR_INVALID_CONTEXT;
}

CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned int *flags, int *active) {
  *flags = 0;
  return GIVE(active, atomic_load(&retained) > 0);
}

CUresult cuCtxGetCurrent(CUcontext *context) { return GIVE(context, null_current); }

CUresult cuCtxSetCurrent(CUcontext context) { return GIVE(&null_current, context); }

CUresult cuCtxPushCurrent_v2(CUcontext context) {
  if (depth == DEEPEST) return CUDA_ERROR_OUT_OF_MEMORY;
  below[depth++] = null_current;
  return GIVE(&null_current, context);
}

CUresult cuCtxPopCurrent_v2(CUcontext *context) {
  if (!null_current) return CUDA_ERROR_INVALID_CONTEXT;
  if (context) *context = null_current;
  return GIVE(&null_current, depth ? below[--depth] : NULL);
}

CUresult cuCtxCreate_v2(CUcontext *context, unsigned int flags, CUdevice device) {
  *context = (CUcontext)null_handle();
  return cuCtxPushCurrent_v2(*context);
}

CUresult cuCtxCreate_v3(CUcontext *context, CUexecAffinityParam *affinity, int count, unsigned int flags, CUdevice device) {
  return cuCtxCreate_v2(context, flags, device);
}

CUresult cuCtxCreate_v4(CUcontext *context, CUctxCreateParams *parameters, unsigned int flags, CUdevice device) {
  return cuCtxCreate_v2(context, flags, device);
}

CUresult cuCtxDestroy_v2(CUcontext context) {
  return context && context == null_current ? cuCtxPopCurrent_v2(NULL) : CUDA_SUCCESS;
}

CUresult cuCtxGetDevice(CUdevice *device) {
  *device = 0;
  return null_ready();
}

CUresult cuCtxGetId(CUcontext context, unsigned long long *id) {
  *id = (uintptr_t)(context ? context : null_current);
  return *id ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}
