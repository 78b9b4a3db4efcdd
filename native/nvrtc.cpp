// Mirrors cases/nvrtc.py.
#include "driver.hpp"

DRIVER(CtxGetDevice, 2000)
DRIVER(DeviceGetAttribute, 2000)
NVRTC(CompileProgram)
NVRTC(CreateProgram)
NVRTC(DestroyProgram)
NVRTC(GetCUBIN)
NVRTC(GetCUBINSize)

namespace {
const char *const source = "extern \"C\" __global__ void tiny(float *x) { *x = 1; }";

std::string architecture_option() {
  CUdevice device;
  int major, minor;
  driver::CtxGetDevice(&device);
  driver::DeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
  driver::DeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
  return "--gpu-architecture=sm_" + std::to_string(major) + std::to_string(minor);
}
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

CASE("nvrtc.compile") {
  const std::string option = architecture_option();
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
