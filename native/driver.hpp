// Baselines over the driver API. The functions come from the libcuda and the NVRTC that the worker has loaded.
#pragma once

#include <cuda.h>
#include <cudaTypedefs.h>
#include <nvrtc.h>

#include "cases.hpp"

#pragma GCC visibility push(hidden)

struct Symbol {
  const char *file, *name;
  int version;  // driver version that the function's signature is from; 0: a function of NVRTC
  void **slot;
};

inline std::vector<Symbol> &all_symbols() {
  static std::vector<Symbol> symbols;
  return symbols;
}

struct RegisterSymbol {
  RegisterSymbol(const char *file, const char *name, int version, void **slot) {
    all_symbols().push_back({file, name, version, slot});
  }
};

// DRIVER(StreamCreate, 2000): driver::StreamCreate is cuStreamCreate as of CUDA 2.0 (the numbers stand in cudaTypedefs.h).
#define DRIVER(name, version)                                                                              \
  namespace driver {                                                                                       \
  static PFN_cu##name##_v##version name;                                                                   \
  static const RegisterSymbol register_##name{__FILE__, "cu" #name, version, reinterpret_cast<void **>(&name)}; \
  }
// NVRTC(CompileProgram): nvrtc::CompileProgram is nvrtcCompileProgram.
#define NVRTC(name)                                                                                  \
  namespace nvrtc {                                                                                  \
  static decltype(&::nvrtc##name) name;                                                              \
  static const RegisterSymbol register_##name{__FILE__, "nvrtc" #name, 0, reinterpret_cast<void **>(&name)}; \
  }

Status status_of(CUresult result);
Status status_of(nvrtcResult result);

CUkernel kernel(const char *name);  // of the cubin; throws what the driver said as a Status
CUstream stream();                  // the library's own stream, made on first use
CUdeviceptr buffer();               // 4 KiB of device memory, made on first use
const std::string &cubin();         // the cubin's path
std::string architecture();         // of the current device, as NVRTC spells it: sm_90

#pragma GCC visibility pop
