// Mirrors cases/threads.py.
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <list>
#include <thread>

#include "driver.hpp"

DRIVER(CtxGetCurrent, 4000)
DRIVER(CtxSetCurrent, 4000)
DRIVER(LaunchKernel, 4000)
DRIVER(StreamCreate, 2000)
DRIVER(StreamDestroy, 4000)
DRIVER(StreamSynchronize, 2000)

namespace {
constexpr int BATCH = 128;  // launches of another thread between two waits: its queue must never fill either

// Moves the calling thread to the CPUs that the orchestrator may use, without that of the measured thread.
void leave_the_cpu() {
  cpu_set_t pinned, allowed, rest;
  if (sched_getaffinity(0, sizeof pinned, &pinned) || sched_getaffinity(getppid(), sizeof allowed, &allowed)) return;
  CPU_AND(&rest, &pinned, &allowed);
  CPU_XOR(&rest, &rest, &allowed);
  if (CPU_COUNT(&rest)) sched_setaffinity(0, sizeof rest, &rest);
}

// A thread that launches too, on a stream of its own, until it is told to stop.
class Presser {
 public:
  Presser(CUcontext context, CUfunction function) : thread_([this, context, function] { press(context, function); }) {
    while (!pressing_) std::this_thread::yield();
  }

  // Returns what the calls returned. The kernel lists a thread for a moment after it was joined: that is waited for too.
  int finish() {
    stop_ = true;
    thread_.join();
    while (!access(task_.c_str(), F_OK)) std::this_thread::yield();
    return status_;
  }

 private:
  void press(CUcontext context, CUfunction function) {
    leave_the_cpu();
    task_ = "/proc/self/task/" + std::to_string(syscall(SYS_gettid));
    CUstream on = nullptr;
    status_ = driver::CtxSetCurrent(context);
    status_ |= driver::StreamCreate(&on, CU_STREAM_NON_BLOCKING);
    for (; !stop_; pressing_ = true) {
      for (int i = 0; i < BATCH; ++i) status_ |= driver::LaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, on, nullptr, nullptr);
      status_ |= driver::StreamSynchronize(on);
    }
    status_ |= driver::StreamDestroy(on);
  }

  std::atomic<bool> stop_{false}, pressing_{false};
  int status_ = 0;      // the thread's own until it is joined
  std::string task_;    // likewise
  std::thread thread_;  // the last member: it starts when the others are there
};

Status launch_beside(Loop &loop, int others) {
  const auto function = reinterpret_cast<CUfunction>(kernel("empty"));
  const CUstream on = stream();
  CUcontext context = nullptr;
  int status = driver::CtxGetCurrent(&context);
  std::list<Presser> pressers;
  for (int i = 0; i < others; ++i) pressers.emplace_back(context, function);
  for (auto _ : loop) status |= driver::LaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, on, nullptr, nullptr);
  for (Presser &presser : pressers) status |= presser.finish();
  return status_of(CUresult(status));
}
}  // namespace

CASE("threads.launch_2") { return launch_beside(loop, 1); }
CASE("threads.launch_4") { return launch_beside(loop, 3); }
