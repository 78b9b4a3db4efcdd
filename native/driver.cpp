// Opening the driver library: its functions, kernels and the objects that cases share.
#include "driver.hpp"

#include <dlfcn.h>

#include <cstring>
#include <map>

DRIVER(CtxGetDevice, 2000)
DRIVER(CtxSynchronize, 2000)
DRIVER(DeviceGetAttribute, 2000)
DRIVER(GetErrorName, 6000)
DRIVER(LibraryLoadFromFile, 12000)
DRIVER(LibraryGetKernel, 12000)
DRIVER(MemAlloc, 3020)
DRIVER(StreamCreate, 2000)
NVRTC(GetErrorString)

namespace {
std::string cubin_path;
CUlibrary library;  // of the kernels, loaded on first use

void must(CUresult result) {
  if (result != CUDA_SUCCESS) throw status_of(result);
}

// The library of this path is in the process already; RTLD_NOLOAD never brings in a second one.
void *loaded(const char *path) { return *path ? dlopen(path, RTLD_NOW | RTLD_NOLOAD) : nullptr; }
}  // namespace

Status status_of(CUresult result) {
  if (result == CUDA_SUCCESS) return {};
  const char *name = nullptr;
  if (driver::GetErrorName(result, &name) != CUDA_SUCCESS || !name) return "CUresult " + std::to_string(result);
  return name;
}

Status status_of(nvrtcResult result) { return result == NVRTC_SUCCESS ? Status() : nvrtc::GetErrorString(result); }

Status open_library(const char *libcuda, const char *libnvrtc, const char *cubin) {
  void *cuda = loaded(libcuda), *nvrtc = loaded(libnvrtc);
  if (!cuda) return std::string("libcuda is not loaded: ") + libcuda;
  const auto find = reinterpret_cast<PFN_cuGetProcAddress_v12000>(dlsym(cuda, "cuGetProcAddress_v2"));
  if (!find) return "this libcuda has no cuGetProcAddress_v2: a driver of CUDA 12 or later is needed";
  for (const Symbol &symbol : all_symbols()) {
    if (symbol.version == 0) {
      *symbol.slot = nvrtc ? dlsym(nvrtc, symbol.name) : nullptr;
    } else if (find(symbol.name, symbol.slot, symbol.version, CU_GET_PROC_ADDRESS_DEFAULT, nullptr) != CUDA_SUCCESS) {
      *symbol.slot = nullptr;
    }
  }
  if (Status lacks = missing(__FILE__); !lacks.empty()) return lacks;
  cubin_path = cubin;
  return {};
}

void drain() { driver::CtxSynchronize(); }

Status missing(const char *file) {
  for (const Symbol &symbol : all_symbols()) {
    if (!*symbol.slot && !std::strcmp(symbol.file, file)) return std::string(symbol.name) + " is missing";
  }
  return {};
}

const std::string &cubin() { return cubin_path; }

std::string architecture() {
  CUdevice device;
  int major, minor;
  must(driver::CtxGetDevice(&device));
  must(driver::DeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device));
  must(driver::DeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device));
  return "sm_" + std::to_string(major) + std::to_string(minor);
}

CUkernel kernel(const char *name) {
  static std::map<std::string, CUkernel> kernels;
  CUkernel &found = kernels[name];
  if (found) return found;
  if (!library) {
    must(driver::LibraryLoadFromFile(&library, cubin_path.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0));
  }
  must(driver::LibraryGetKernel(&found, library, name));
  return found;
}

CUstream stream() {
  static CUstream shared;
  if (!shared) must(driver::StreamCreate(&shared, CU_STREAM_NON_BLOCKING));
  return shared;
}

CUdeviceptr buffer() {
  static CUdeviceptr shared;
  if (!shared) must(driver::MemAlloc(&shared, 4096));
  return shared;
}
