#pragma once
#include <chrono>
#include <functional>

namespace mc::kube {

// How long from now on writes may leave; zero or less: none may. Called from any thread.
using WriteTime = std::function<std::chrono::milliseconds()>;

// The fence before one write. Its body leaves piece by piece, once the connection is up, and each
// piece asks first: without its whole body the API server refuses a write.
class Fence {
 public:
  // `time` must outlive it; empty: there is no fence.
  explicit Fence(const WriteTime& time) : time_(time) {}

  bool is_there() const { return static_cast<bool>(time_); }
  bool is_open() const { return !time_ || time_() > std::chrono::milliseconds(0); }

  // Whether a piece may leave now on this socket. What the kernel takes of it leaves within the
  // time there is, or not at all (limit_sending).
  bool lets_through(int socket);

  // It has kept a piece back.
  bool has_refused() const { return refused_; }

 private:
  const WriteTime& time_;
  bool refused_ = false;
};

}  // namespace mc::kube
