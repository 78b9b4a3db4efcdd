// Mirrors cases/module.py.
#include "driver.hpp"

#include <fstream>
#include <iterator>

DRIVER(KernelGetAttribute, 12000)
DRIVER(LibraryGetKernel, 12000)
DRIVER(LibraryLoadData, 12000)
DRIVER(LibraryUnload, 12000)
DRIVER(ModuleGetFunction, 2000)
DRIVER(ModuleLoadData, 2000)
DRIVER(ModuleUnload, 2000)

namespace {
std::string read_cubin() {
  std::ifstream file(cubin(), std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

CUresult load(CUlibrary &library, const std::string &image) {
  void *no_values[1];  // cuda.bindings, too, names a place for the values of no options
  return driver::LibraryLoadData(&library, image.data(), nullptr, no_values, 0, nullptr, no_values, 0);
}
}  // namespace

CASE("module.library_load_unload") {
  const std::string image = read_cubin();
  CUlibrary library;
  int status = 0;
  for (auto _ : loop) {
    status |= load(library, image);
    status |= driver::LibraryUnload(library);
  }
  return status_of(CUresult(status));
}

CASE("module.library_get_kernel") {
  const std::string image = read_cubin();
  CUlibrary library;
  CUkernel found;
  int status = load(library, image);
  for (auto _ : loop) status |= driver::LibraryGetKernel(&found, library, "empty");
  status |= driver::LibraryUnload(library);
  return status_of(CUresult(status));
}

CASE("module.load_get_unload") {
  const std::string image = read_cubin();
  CUmodule loaded;
  CUfunction found;
  int status = 0;
  for (auto _ : loop) {
    status |= driver::ModuleLoadData(&loaded, image.data());
    status |= driver::ModuleGetFunction(&found, loaded, "empty");
    status |= driver::ModuleUnload(loaded);
  }
  return status_of(CUresult(status));
}

CASE("module.kernel_attribute") {
  const CUkernel asked = kernel("empty");
  int registers, status = 0;
  for (auto _ : loop) status |= driver::KernelGetAttribute(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, asked, 0);
  return status_of(CUresult(status));
}
