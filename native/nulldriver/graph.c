/* Graphs: a graph has no nodes, but it keeps the user objects that were given to it, and so does an executable made of it. */
#include "null.h"
#include "rename.h"
#include <stdlib.h>

struct CUuserObject_st {
  void *data;
  CUhostFn destroy;
  atomic_uint references;
};

/* --- what holds how many references to which object --- */

/* The list is empty unless a program has user objects, so that other graphs go by with one load. */
static struct holding {
  struct holding *next;
  void *holder; /* a CUgraph or a CUgraphExec */
  CUuserObject object;
  unsigned int count;
} *_Atomic holdings;
static atomic_flag busy = ATOMIC_FLAG_INIT;

static void lock(void) {
  while (atomic_flag_test_and_set(&busy)) {}
}

static void unlock(void) { atomic_flag_clear(&busy); }

/* With the lock. */
static void hold(void *holder, CUuserObject object, unsigned int count) {
  struct holding *new = malloc(sizeof *new);
  if (!new) abort();
  *new = (struct holding){holdings, holder, object, count};
  holdings = new;
}

static void retain(CUuserObject object, unsigned int count) { atomic_fetch_add(&object->references, count); }

/* Without the lock: the destructor is the program's. */
static void release(CUuserObject object, unsigned int count) {
  if (atomic_fetch_sub(&object->references, count) != count) return;
  object->destroy(object->data);
  free(object);
}

static void share(void *from, void *to) {
  if (!relaxed_load(&holdings)) return;
  lock();
  for (struct holding *each = holdings; each; each = each->next) {
    if (each->holder != from) continue;
    retain(each->object, each->count);
    hold(to, each->object, each->count);
  }
  unlock();
}

/* Takes out a holding of holder: any, or one of just so many references to object where that is given. */
static struct holding *take(void *holder, CUuserObject object, unsigned int count) {
  struct holding *found, *before = NULL;
  lock();
  for (found = holdings; found; before = found, found = found->next)
    if (found->holder == holder && (!object || (found->object == object && found->count == count))) break;
  if (found && before) before->next = found->next;
  else if (found) holdings = found->next;
  unlock();
  return found;
}

static CUresult destroyed(void *holder) {
  struct holding *held;
  while (relaxed_load(&holdings) && (held = take(holder, NULL, 0))) {
    release(held->object, held->count);
    free(held);
  }
  return CUDA_SUCCESS;
}

/* --- user objects --- */

CUresult cuUserObjectCreate(CUuserObject *object, void *data, CUhostFn destroy, unsigned int count, unsigned int flags) {
  *object = malloc(sizeof **object);
  if (!*object) return CUDA_ERROR_OUT_OF_MEMORY;
  (*object)->data = data;
  (*object)->destroy = destroy;
  atomic_init(&(*object)->references, count);
  return CUDA_SUCCESS;
}

CUresult cuUserObjectRetain(CUuserObject object, unsigned int count) {
  retain(object, count);
  return CUDA_SUCCESS;
}

CUresult cuUserObjectRelease(CUuserObject object, unsigned int count) {
  release(object, count);
  return CUDA_SUCCESS;
}

CUresult cuGraphRetainUserObject(CUgraph graph, CUuserObject object, unsigned int count, unsigned int flags) {
  if (!(flags & CU_GRAPH_USER_OBJECT_MOVE)) retain(object, count);
  lock();
  hold(graph, object, count);
  unlock();
  return CUDA_SUCCESS;
}

/* What one call gave is taken back by one call: no program is known to do it in parts. */
CUresult cuGraphReleaseUserObject(CUgraph graph, CUuserObject object, unsigned int count) {
  struct holding *held = take(graph, object, count);
  if (!held) return CUDA_ERROR_INVALID_VALUE;
  release(held->object, held->count);
  free(held);
  return CUDA_SUCCESS;
}

/* --- graphs --- */

CUresult cuGraphClone(CUgraph *clone, CUgraph graph) {
  *clone = (CUgraph)null_handle();
  share(graph, *clone);
  return CUDA_SUCCESS;
}

CUresult cuGraphInstantiateWithFlags(CUgraphExec *executable, CUgraph graph, unsigned long long flags) {
  *executable = (CUgraphExec)null_handle();
  share(graph, *executable);
  return CUDA_SUCCESS;
}

CUresult cuGraphInstantiateWithParams(CUgraphExec *executable, CUgraph graph, CUDA_GRAPH_INSTANTIATE_PARAMS *parameters) {
  parameters->hErrNode_out = NULL;
  parameters->result_out = CUDA_GRAPH_INSTANTIATE_SUCCESS;
  return cuGraphInstantiateWithFlags(executable, graph, parameters->flags);
}

CUresult cuGraphDestroy(CUgraph graph) { return destroyed(graph); }

CUresult cuGraphExecDestroy(CUgraphExec executable) { return destroyed(executable); }
