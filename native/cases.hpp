// How a baseline is written: CASE("area.name") { set up; for (auto _ : loop) …; return status; }
#pragma once

#include <string>
#include <vector>

#include "loop.hpp"

#pragma GCC visibility push(hidden)

// What a case ends with: empty, or the name of the error that one of its calls returned.
using Status = std::string;
using Body = Status (*)(Loop &loop);

struct Case {
  const char *file, *id;
  Body body;
};

inline std::vector<Case> &all_cases() {
  static std::vector<Case> cases;
  return cases;
}

struct RegisterCase {
  RegisterCase(const char *file, const char *id, Body body) { all_cases().push_back({file, id, body}); }
};

#define CTK_CASE_(id, line)                                                       \
  static Status case_at_##line(Loop &loop);                                       \
  static const RegisterCase register_case_at_##line{__FILE__, id, case_at_##line}; \
  static Status case_at_##line(Loop &loop)
#define CTK_CASE(id, line) CTK_CASE_(id, line)
#define CASE(id) CTK_CASE(id, __LINE__)

// Each of the two libraries (driver, runtime) says how it opens, what a drain is and what a file of cases lacks.
Status open_library(const char *libcuda, const char *libnvrtc, const char *cubin);
void drain();
Status missing(const char *file);

#pragma GCC visibility pop
