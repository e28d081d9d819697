#pragma once
#include <chrono>
#include <functional>

#include "common/kube/socket.h"

namespace mc::kube {

// How long from now writes may be sent; zero or less: not at all. Called from any thread.
using WriteTime = std::function<std::chrono::milliseconds()>;

// The fence of one write. The body is sent in pieces once the connection is up, and each piece
// checks the fence first: without the whole body the API server refuses a write.
class Fence {
 public:
  // `time` must outlive it; empty: no fence.
  explicit Fence(const WriteTime& time) : time_(time) {}

  bool is_there() const { return static_cast<bool>(time_); }
  bool is_open() const { return !time_ || time_() > std::chrono::milliseconds(0); }

  // Whether a piece may be sent now on this socket. The kernel sends it within the remaining time
  // or not at all (limit_sending).
  bool lets_through(int socket) {
    const auto time = time_();
    refused_ = time <= std::chrono::milliseconds(0);
    if (!refused_) limit_sending(socket, time);
    return !refused_;
  }

  // Whether a piece was held back.
  bool has_refused() const { return refused_; }

 private:
  const WriteTime& time_;
  bool refused_ = false;
};

}  // namespace mc::kube
