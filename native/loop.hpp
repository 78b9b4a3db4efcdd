// The timed loop, the mirror of ctkmatrix/probe/loop.py: `for (auto _ : loop)` keeps the time of its turns itself.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

#pragma GCC visibility push(hidden)

class Loop {
  using Clock = std::chrono::steady_clock;  // CLOCK_MONOTONIC, as time.perf_counter() is

 public:
  using Drain = void (*)();

  // `turns` turns, with `drain` called untimed after every `burst` of them (0: one burst).
  Loop(std::uint64_t turns, std::uint64_t burst, Drain drain)
      : left_(turns), burst_(burst ? burst : turns), drain_(drain) {}

  // The destructor keeps `_` from being an unused variable; the barrier keeps the compiler from folding turns together.
  struct Turn {
    ~Turn() { asm volatile("" ::: "memory"); }
  };
  struct End {};

  class Iterator {
   public:
    explicit Iterator(Loop *loop) : loop_(loop), left_(loop->start()) {}
    Turn operator*() const { return {}; }
    void operator++() { --left_; }
    bool operator!=(End) {
      if (__builtin_expect(left_ != 0, 1)) return true;
      left_ = loop_->next();
      return left_ != 0;
    }

   private:
    Loop *loop_;
    std::uint64_t left_;  // of this burst
  };

  Iterator begin() { return Iterator(this); }
  End end() { return {}; }
  // Whether the turns were all turned: a case that leaves its loop early has measured nothing.
  bool finished() const { return finished_; }
  double seconds() const { return std::chrono::duration<double>(elapsed_).count(); }

 private:
  std::uint64_t start() {
    const std::uint64_t size = std::min(left_, burst_);
    left_ -= size;
    start_ = Clock::now();
    return size;
  }

  __attribute__((noinline)) std::uint64_t next() {
    elapsed_ += Clock::now() - start_;
    if (drain_) drain_();
    finished_ = left_ == 0;
    return finished_ ? 0 : start();
  }

  std::uint64_t left_, burst_;
  Drain drain_;
  Clock::time_point start_;
  Clock::duration elapsed_{};
  bool finished_ = false;
};

#pragma GCC visibility pop
