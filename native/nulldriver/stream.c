/* Streams and their captures. */
#include "null.h"
#include "rename.h"

/* The low bits of a stream's handle hold what it was created with: bit 0 non-blocking, bits 1..3 the priority, negated. */
#define GREATEST_PRIORITY (-5)

static unsigned int stream_bits(CUstream stream) {
  return (uintptr_t)stream < HANDLES ? 0 : (unsigned int)((uintptr_t)stream % HANDLE_STEP);
}

static int is_blocking(CUstream stream) { return !(stream_bits(stream) & CU_STREAM_NON_BLOCKING); }

static int is_legacy(CUstream stream) { return stream == NULL || stream == CU_STREAM_LEGACY; }

CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned int flags, int priority) {
  CUresult refused = null_ready();
  if (refused) return refused;
  int clamped = priority > 0 ? 0 : priority < GREATEST_PRIORITY ? GREATEST_PRIORITY : priority;
  return GIVE(stream, (CUstream)(null_handle() | (flags & CU_STREAM_NON_BLOCKING) | (uintptr_t)-clamped << 1));
}

CUresult cuStreamCreate(CUstream *stream, unsigned int flags) { return cuStreamCreateWithPriority(stream, flags, 0); }

CUresult cuStreamGetFlags(CUstream stream, unsigned int *flags) {
  return GIVE(flags, is_blocking(stream) ? CU_STREAM_DEFAULT : CU_STREAM_NON_BLOCKING);
}

CUresult cuStreamGetPriority(CUstream stream, int *priority) { return GIVE(priority, -(int)(stream_bits(stream) >> 1)); }

CUresult cuStreamGetId(CUstream stream, unsigned long long *id) { return GIVE(id, (uintptr_t)stream); }

CUresult cuStreamGetCtx(CUstream stream, CUcontext *context) { return GIVE(context, PRIMARY_CONTEXT); }

CUresult cuStreamGetGreenCtx(CUstream stream, CUgreenCtx *green) { return GIVE(green, NULL); }

CUresult cuStreamGetCtx_v2(CUstream stream, CUcontext *context, CUgreenCtx *green) {
  *green = NULL;
  return GIVE(context, PRIMARY_CONTEXT);
}

CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest) {
  if (least) *least = 0;
  if (greatest) *greatest = GREATEST_PRIORITY;
  return null_ready();
}

/* --- captures --- */

/* Slots, taken by compare-and-exchange. A stream is used by one thread at a time, so the other fields need no care. The count
 * lets calls outside any capture go by with one load. */
#define MOST_CAPTURES 64

static struct capture {
  _Atomic uintptr_t stream;
  cuuint64_t id;
  CUgraph graph;
} captures[MOST_CAPTURES];
atomic_int null_open_captures;

static struct capture *find_capture(CUstream stream) {
  if (!stream || !relaxed_load(&null_open_captures)) return NULL;
  for (struct capture *capture = captures; capture < captures + MOST_CAPTURES; capture++)
    if (relaxed_load(&capture->stream) == (uintptr_t)stream) return capture;
  return NULL;
}

int null_is_capturing(CUstream stream) { return find_capture(stream) != NULL; }

/* How many captures are open, on whatever streams: one that is left behind is seen without knowing its stream. */
int ctk_null_captures(void) { return atomic_load(&null_open_captures); }

static CUresult begin_capture(CUstream stream, CUgraph graph) {
  static _Atomic cuuint64_t last;
  if (is_legacy(stream)) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  if (find_capture(stream)) return CUDA_ERROR_ILLEGAL_STATE;
  for (struct capture *capture = captures; capture < captures + MOST_CAPTURES; capture++) {
    uintptr_t none = 0;
    if (!atomic_compare_exchange_strong(&capture->stream, &none, (uintptr_t)stream)) continue;
    capture->id = atomic_fetch_add(&last, 1) + 1;
    capture->graph = graph;
    atomic_fetch_add(&null_open_captures, 1);
    return CUDA_SUCCESS;
  }
  return CUDA_ERROR_OUT_OF_MEMORY;
}

static void end_capture(struct capture *capture) {
  atomic_store(&capture->stream, 0);
  atomic_fetch_sub(&null_open_captures, 1);
}

CUresult cuStreamBeginCapture_v2(CUstream stream, CUstreamCaptureMode mode) {
  return begin_capture(stream, (CUgraph)null_handle());
}

CUresult cuStreamBeginCaptureToGraph(CUstream stream, CUgraph graph, const CUgraphNode *dependencies,
                                     const CUgraphEdgeData *edges, size_t count, CUstreamCaptureMode mode) {
  return begin_capture(stream, graph);
}

CUresult cuStreamEndCapture(CUstream stream, CUgraph *graph) {
  struct capture *capture = find_capture(stream);
  *graph = capture ? capture->graph : NULL;
  if (!capture) return CUDA_ERROR_ILLEGAL_STATE;
  end_capture(capture);
  return CUDA_SUCCESS;
}

CUresult cuStreamDestroy_v2(CUstream stream) {
  struct capture *capture = find_capture(stream);
  if (capture) end_capture(capture);
  return CUDA_SUCCESS;
}

CUresult cuStreamGetCaptureInfo_v2(CUstream stream, CUstreamCaptureStatus *status, cuuint64_t *id, CUgraph *graph,
                                   const CUgraphNode **dependencies, size_t *count) {
  static const CUgraphNode none[1];
  struct capture *capture = find_capture(stream);
  *status = capture ? CU_STREAM_CAPTURE_STATUS_ACTIVE : CU_STREAM_CAPTURE_STATUS_NONE;
  if (id) *id = capture ? capture->id : 0;
  if (graph) *graph = capture ? capture->graph : NULL;
  if (dependencies) *dependencies = none;
  if (count) *count = 0;
  return CUDA_SUCCESS;
}

CUresult cuStreamGetCaptureInfo_v3(CUstream stream, CUstreamCaptureStatus *status, cuuint64_t *id, CUgraph *graph,
                                   const CUgraphNode **dependencies, const CUgraphEdgeData **edges, size_t *count) {
  if (edges) *edges = NULL;
  return cuStreamGetCaptureInfo_v2(stream, status, id, graph, dependencies, count);
}

CUresult cuStreamGetCaptureInfo(CUstream stream, CUstreamCaptureStatus *status, cuuint64_t *id) {
  return cuStreamGetCaptureInfo_v2(stream, status, id, NULL, NULL, NULL);
}

/* The legacy stream does not capture, but work on it would have to wait for every blocking stream that does. */
static int is_implicated(CUstream stream) {
  if (!is_legacy(stream) || !relaxed_load(&null_open_captures)) return 0;
  for (struct capture *capture = captures; capture < captures + MOST_CAPTURES; capture++) {
    CUstream other = (CUstream)atomic_load(&capture->stream);
    if (other && is_blocking(other)) return 1;
  }
  return 0;
}

CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus *status) {
  if (is_implicated(stream)) return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
  return GIVE(status, find_capture(stream) ? CU_STREAM_CAPTURE_STATUS_ACTIVE : CU_STREAM_CAPTURE_STATUS_NONE);
}

CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode) {
  static __thread CUstreamCaptureMode own = CU_STREAM_CAPTURE_MODE_GLOBAL;
  CUstreamCaptureMode before = own;
  own = *mode;
  return GIVE(mode, before);
}

/* --- host functions: they have run when the call returns; within a capture they would be recorded, and nothing is done --- */

CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void *data) {
  CUresult refused = null_ready();
  if (!refused && !find_capture(stream)) function(data);
  return refused;
}

CUresult cuLaunchHostFunc_v2(CUstream stream, CUhostFn function, void *data, unsigned int mode) {
  return cuLaunchHostFunc(stream, function, data);
}

CUresult cuStreamAddCallback(CUstream stream, CUstreamCallback callback, void *data, unsigned int flags) {
  CUresult refused = null_ready();
  if (!refused) callback(stream, CUDA_SUCCESS, data);
  return refused;
}
