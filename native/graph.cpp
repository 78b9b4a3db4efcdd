// Mirrors cases/graph.py.
#include "driver.hpp"

DRIVER(GraphDestroy, 10000)
DRIVER(GraphExecDestroy, 10000)
DRIVER(GraphInstantiateWithFlags, 11040)
DRIVER(GraphLaunch, 10000)
DRIVER(LaunchKernel, 4000)
DRIVER(StreamBeginCapture, 10010)
DRIVER(StreamEndCapture, 10000)

namespace {
struct Graph {
  CUgraph graph;
  CUgraphExec executable;
};

// Captures `nodes` launches and instantiates the graph of them.
inline int capture(Graph &made, CUfunction function, CUstream on, int nodes) {
  int status = driver::StreamBeginCapture(on, CU_STREAM_CAPTURE_MODE_RELAXED);
  for (int node = 0; node < nodes; ++node) status |= driver::LaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, on, nullptr, nullptr);
  status |= driver::StreamEndCapture(on, &made.graph);
  return status | driver::GraphInstantiateWithFlags(&made.executable, made.graph, 0);
}

inline int destroy(const Graph &made) { return driver::GraphExecDestroy(made.executable) | driver::GraphDestroy(made.graph); }
}  // namespace

CASE("graph.capture_10") {
  const auto function = reinterpret_cast<CUfunction>(kernel("empty"));
  const CUstream on = stream();
  Graph made;
  int status = 0;
  for (auto _ : loop) {
    status |= capture(made, function, on, 10);
    status |= destroy(made);
  }
  return status_of(CUresult(status));
}

CASE("graph.launch") {
  const auto function = reinterpret_cast<CUfunction>(kernel("empty"));
  const CUstream on = stream();
  Graph made;
  int status = capture(made, function, on, 1);
  for (auto _ : loop) status |= driver::GraphLaunch(made.executable, on);
  status |= destroy(made);
  return status_of(CUresult(status));
}
