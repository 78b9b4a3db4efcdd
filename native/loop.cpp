// Mirrors cases/loop.py.
#include "cases.hpp"

CASE("loop.empty") {
  for (auto _ : loop) {
  }
  return {};
}
