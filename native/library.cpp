// Mirrors cases/library.py.
#include <fstream>
#include <iterator>

#include "driver.hpp"

DRIVER(LibraryLoadData, 12000)
DRIVER(LibraryUnload, 12000)

CASE("library.load_options") {
  std::ifstream file(cubin(), std::ios::binary);
  const std::string code{std::istreambuf_iterator<char>(file), {}};
  CUjit_option options[] = {CU_JIT_MAX_REGISTERS, CU_JIT_OPTIMIZATION_LEVEL, CU_JIT_GENERATE_DEBUG_INFO, CU_JIT_LOG_VERBOSE,
                            CU_JIT_GENERATE_LINE_INFO};
  void *const no = nullptr, *const yes = reinterpret_cast<void *>(1);
  void *values[] = {reinterpret_cast<void *>(64), reinterpret_cast<void *>(4), no, no, no};
  CUlibraryOption kept[] = {CU_LIBRARY_BINARY_IS_PRESERVED};
  void *kept_values[] = {yes};
  CUlibrary library;
  int status = 0;
  for (auto _ : loop) {
    status |= driver::LibraryLoadData(&library, code.data(), options, values, 5, kept, kept_values, 1);
    status |= driver::LibraryUnload(library);
  }
  return status_of(CUresult(status));
}
