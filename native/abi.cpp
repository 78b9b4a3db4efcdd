// The C interface of a library of baselines; ctkmatrix/probe/native.py is its other side.
// It runs turns and returns their time: how many, how often and what they mean is decided in Python.
#include "cases.hpp"

namespace {
const char *keep(Status status) {  // valid until the next call: one library serves one thread
  static Status kept;
  kept = std::move(status);
  return kept.empty() ? nullptr : kept.c_str();
}
}  // namespace

#pragma GCC visibility push(default)
extern "C" {

const char *ctk_open(const char *libcuda, const char *libnvrtc, const char *cubin) {
  return keep(open_library(libcuda, libnvrtc, cubin));
}

int ctk_count() { return static_cast<int>(all_cases().size()); }

const char *ctk_name(int index) { return all_cases()[static_cast<std::size_t>(index)].id; }

const char *ctk_run(int index, std::uint64_t turns, std::uint64_t burst, double *seconds) {
  const Case &found = all_cases()[static_cast<std::size_t>(index)];
  if (Status lacks = missing(found.file); !lacks.empty()) return keep(lacks);
  Loop loop(turns, burst, burst ? drain : nullptr);
  try {
    Status status = found.body(loop);
    *seconds = loop.seconds();
    if (status.empty() && !loop.finished()) status = "the case left its loop before the last turn";
    return keep(status);
  } catch (const Status &failed) {  // thrown by set-up
    return keep(failed);
  }
}

}  // extern "C"
#pragma GCC visibility pop
