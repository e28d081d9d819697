#pragma once
#include <chrono>
#include <mutex>
#include <thread>

namespace mc::test {

// The wall time since construction.
class Stopwatch {
 public:
  std::chrono::milliseconds elapsed() const {
    return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() -
                                                                 begin_);
  }
  double seconds() const { return std::chrono::duration<double>(elapsed()).count(); }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

// About the time that would have passed on a machine that does nothing else: the wall time, divided
// by how much longer than its CPU time a probe takes that runs beside what is measured. For limits
// that hold for users and must not fail on a busy machine. The probe takes a tenth of a processor.
class IdleStopwatch {
 public:
  IdleStopwatch();

  std::chrono::milliseconds elapsed() const;

  // At least 1.
  double slowdown() const;

 private:
  void probe();

  Stopwatch watch_;
  mutable std::mutex mutex_;
  std::chrono::duration<double> wall_{0}, cpu_{0};
  std::jthread thread_;
};

}  // namespace mc::test
