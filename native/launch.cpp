// Mirrors cases/launch.py. A CUkernel is passed where a CUfunction is asked for: the driver takes either.
#include "driver.hpp"

DRIVER(LaunchKernel, 4000)
DRIVER(LaunchKernelEx, 11060)

namespace {
// The array of pointers that a launch asks for: `count` arguments, each with a place of its own.
template <typename T>
class Arguments {
 public:
  Arguments(std::size_t count, T value) : values_(count, value) {
    for (T &each : values_) pointers_.push_back(&each);
  }
  void **data() { return pointers_.data(); }

 private:
  std::vector<T> values_;
  std::vector<void *> pointers_;
};

Status launch(Loop &loop, const char *name, void **arguments) {
  const auto function = reinterpret_cast<CUfunction>(kernel(name));
  const CUstream on = stream();
  int status = 0;
  for (auto _ : loop) status |= driver::LaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, on, arguments, nullptr);
  return status_of(CUresult(status));
}

Status launch_ex(Loop &loop, const char *name, void **arguments) {
  const auto function = reinterpret_cast<CUfunction>(kernel(name));
  CUlaunchConfig config{};
  config.gridDimX = config.gridDimY = config.gridDimZ = 1;
  config.blockDimX = config.blockDimY = config.blockDimZ = 1;
  config.hStream = stream();
  int status = 0;
  for (auto _ : loop) status |= driver::LaunchKernelEx(&config, function, arguments, nullptr);
  return status_of(CUresult(status));
}

Status pointers(Loop &loop, const char *name, std::size_t count) {
  return launch(loop, name, Arguments(count, buffer()).data());
}

Status ints(Loop &loop, const char *name, std::size_t count) { return launch(loop, name, Arguments(count, 1).data()); }

Status doubles(Loop &loop, const char *name, std::size_t count) { return launch(loop, name, Arguments(count, 1.0).data()); }

Status bytes(Loop &loop, const char *name, std::size_t count) {
  return launch(loop, name, Arguments(count, static_cast<signed char>(1)).data());
}
}  // namespace

CASE("launch.empty") { return launch(loop, "empty", nullptr); }
CASE("launch.empty_ex") { return launch_ex(loop, "empty", nullptr); }

CASE("launch.2_pointers") { return pointers(loop, "pointers_2", 2); }
CASE("launch.16_pointers") { return pointers(loop, "pointers_16", 16); }
CASE("launch.256_pointers") { return pointers(loop, "pointers_256", 256); }
CASE("launch.512_pointers") { return pointers(loop, "pointers_512", 512); }

CASE("launch.16_ints") { return ints(loop, "ints_16", 16); }
CASE("launch.256_ints") { return ints(loop, "ints_256", 256); }
CASE("launch.512_ints") { return ints(loop, "ints_512", 512); }

CASE("launch.16_doubles") { return doubles(loop, "doubles_16", 16); }
CASE("launch.256_doubles") { return doubles(loop, "doubles_256", 256); }
CASE("launch.512_doubles") { return doubles(loop, "doubles_512", 512); }

CASE("launch.16_bytes") { return bytes(loop, "bytes_16", 16); }
CASE("launch.256_bytes") { return bytes(loop, "bytes_256", 256); }
CASE("launch.512_bytes") { return bytes(loop, "bytes_512", 512); }

CASE("launch.16_pointers_ex") { return launch_ex(loop, "pointers_16", Arguments(16, buffer()).data()); }
CASE("launch.16_pointers_packed") { return pointers(loop, "pointers_16", 16); }
CASE("launch.512_pointers_packed") { return pointers(loop, "pointers_512", 512); }
CASE("launch.16_pointers_as_buffers") { return pointers(loop, "pointers_16", 16); }
CASE("launch.16_ints_as_numpy") { return ints(loop, "ints_16", 16); }
