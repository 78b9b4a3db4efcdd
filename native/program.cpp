// Mirrors cases/program.py.
#include "driver.hpp"

NVRTC(CompileProgram)
NVRTC(CreateProgram)
NVRTC(DestroyProgram)
NVRTC(GetPTX)
NVRTC(GetPTXSize)

CASE("program.compile") {
  const std::string target = "-arch=" + architecture();
  const char *const options[] = {target.c_str(), "--relocatable-device-code=true", "--generate-line-info", "--dopt=on",
                                 "--std=c++17"};
  nvrtcProgram program;
  std::size_t size;
  int status = 0;
  for (auto _ : loop) {
    status |= nvrtc::CreateProgram(&program, "__global__ void empty() {}", "default_program", 0, nullptr, nullptr);
    status |= nvrtc::CompileProgram(program, 5, options);
    status |= nvrtc::GetPTXSize(program, &size);
    std::string ptx(size, ' ');
    status |= nvrtc::GetPTX(program, ptx.data());
    status |= nvrtc::DestroyProgram(&program);
  }
  return status_of(nvrtcResult(status));
}
