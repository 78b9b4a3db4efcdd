// Mirrors cases/nvrtc.py.
#include "driver.hpp"

NVRTC(CompileProgram)
NVRTC(CreateProgram)
NVRTC(DestroyProgram)
NVRTC(GetCUBIN)
NVRTC(GetCUBINSize)

namespace {
const char *const source = "extern \"C\" __global__ void tiny(float *x) { *x = 1; }";
}  // namespace

CASE("nvrtc.create_program") {
  nvrtcProgram program;
  int status = 0;
  for (auto _ : loop) {
    status |= nvrtc::CreateProgram(&program, source, "tiny.cu", 0, nullptr, nullptr);
    status |= nvrtc::DestroyProgram(&program);
  }
  return status_of(nvrtcResult(status));
}

CASE("nvrtc.create_program_100_headers") {
  std::string text, names[100];
  const char *includes[100], *contents[100];
  for (int i = 0; i < 100; i++) {
    names[i] = "dummy" + std::to_string(i) + ".h";
    text += "#include <" + names[i] + ">\n";
    includes[i] = names[i].c_str();
    contents[i] = "";
  }
  text += source;
  nvrtcProgram program;
  int status = 0;
  for (auto _ : loop) {
    status |= nvrtc::CreateProgram(&program, text.c_str(), "tiny.cu", 100, contents, includes);
    status |= nvrtc::DestroyProgram(&program);
  }
  return status_of(nvrtcResult(status));
}

CASE("nvrtc.compile") {
  const std::string option = "--gpu-architecture=" + architecture();
  const char *const options[] = {option.c_str()};
  nvrtcProgram program;
  std::size_t size;
  int status = 0;
  for (auto _ : loop) {
    status |= nvrtc::CreateProgram(&program, source, "tiny.cu", 0, nullptr, nullptr);
    status |= nvrtc::CompileProgram(program, 1, options);
    status |= nvrtc::GetCUBINSize(program, &size);
    std::string cubin(size, ' ');
    status |= nvrtc::GetCUBIN(program, cubin.data());
    status |= nvrtc::DestroyProgram(&program);
  }
  return status_of(nvrtcResult(status));
}
