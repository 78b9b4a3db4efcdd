/* Loading, errors, and what a harness may ask for.
 *
 * CTK_NULL_VERSION  the driver version to report, and to choose symbols by (13000); the headers' own where unset
 * CTK_NULL_STICKY   a CUresult to start with, as ctk_null_set_sticky
 */
#include "null.h"
#include "rename.h"
#include <stdlib.h>
#include <string.h>

/* --- for the harness --- */

extern const int ctk_null_driver;
const int ctk_null_driver = 1; /* tells this library from a genuine libcuda */

CUresult null_sticky;
static int version = CUDA_VERSION;

/* From now on, every call that needs a context or synchronises returns error; 0 ends that. */
void ctk_null_set_sticky(int error) { null_sticky = (CUresult)error; }

__attribute__((constructor)) static void read_environment(void) {
  const char *text = getenv("CTK_NULL_VERSION");
  if (text && *text) version = atoi(text);
  text = getenv("CTK_NULL_STICKY");
  if (text && *text) ctk_null_set_sticky(atoi(text));
}

/* --- handles --- */

__thread uintptr_t null_next_handle;

uintptr_t null_new_block(void) {
  static _Atomic uintptr_t next = HANDLES;
  return atomic_fetch_add(&next, HANDLE_BLOCK);
}

/* --- loading --- */

static const struct null_entry *first_entry(const char *name) {
  int low = 0, high = null_table_length;
  while (low < high) {
    int middle = (low + high) / 2;
    if (strcmp(null_table[middle].name, name) < 0) low = middle + 1;
    else high = middle;
  }
  return &null_table[low];
}

CUresult cuGetProcAddress_v2(const char *symbol, void **function, int asked, cuuint64_t flags,
                             CUdriverProcAddressQueryResult *status) {
  const struct null_entry *best = NULL, *end = null_table + null_table_length;
  int known = 0, per_thread = (flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM) != 0;
  for (const struct null_entry *entry = first_entry(symbol); entry < end && !strcmp(entry->name, symbol); entry++) {
    known = 1;
    if (entry->version > asked || entry->version > version || entry->per_thread > per_thread) continue;
    best = entry; /* rows ascend: the newest version, and within it the per-thread one, comes last */
  }
  if (function) *function = best ? best->function : NULL;
  if (status)
    *status = best    ? CU_GET_PROC_ADDRESS_SUCCESS
              : known ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT
                      : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  return best ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

CUresult cuGetProcAddress(const char *symbol, void **function, int asked, cuuint64_t flags) {
  return cuGetProcAddress_v2(symbol, function, asked, flags, NULL);
}

CUresult cuDriverGetVersion(int *value) { return GIVE(value, version); }

/* Private interfaces, by which a cudart verifies its driver: there are none here. */
CUresult cuGetExportTable(const void **table, const CUuuid *id) {
  *table = NULL;
  return CUDA_ERROR_NOT_FOUND;
}

/* --- errors --- */

static const struct null_error *find_error(CUresult code) {
  for (int i = 0; i < null_errors_length; i++)
    if (null_errors[i].code == code) return &null_errors[i];
  return NULL;
}

CUresult cuGetErrorName(CUresult code, const char **name) {
  const struct null_error *error = find_error(code);
  *name = error ? error->name : NULL;
  return error ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorString(CUresult code, const char **text) {
  const struct null_error *error = find_error(code);
  *text = error ? error->text : NULL;
  return error ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
