#pragma once
#include <chrono>
#include <functional>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/clock.h"
#include "tests/common/kube/fixed_answer.h"

namespace mc::kubectl {

// An API server in memory whose logs are what the test says, request by request.
class LogServer final : public kube::WithoutStreams {
 public:
  using OnBytes = std::function<bool(std::string_view)>;
  struct Asked {
    int run = 0;  // the number of the request
    std::string path;
    std::stop_token stop;
    const OnBytes& send;
  };
  using Answer = std::function<Result<void>(const Asked& asked)>;

  void answers(Answer answer) { answer_ = std::move(answer); }

  Result<void> read(const kube::Request& request, std::stop_token stop,
                    const OnBytes& on_bytes) override {
    int run = 0;
    {
      const std::scoped_lock lock(mutex_);
      paths_.push_back(request.path);
      run = static_cast<int>(paths_.size());
    }
    return answer_({run, request.path, std::move(stop), on_bytes});
  }
  Result<kube::Response> send(const kube::Request&) override {
    return fail(ErrorKind::Unavailable, "only logs here");
  }

  std::vector<std::string> paths() const {
    const std::scoped_lock lock(mutex_);
    return paths_;
  }

  // A log that ends with this text.
  static Result<void> text(const Asked& asked, std::string_view text) {
    asked.send(text);
    return {};
  }
  // One that does not end after it.
  static Result<void> silence_after(const Asked& asked, std::string_view text) {
    if (!text.empty()) asked.send(text);
    mc::wait(std::chrono::hours(1), asked.stop);
    return {};
  }
  // One that goes on as long as anybody wants it.
  static Result<void> without_end(const Asked& asked) {
    while (!asked.stop.stop_requested() && asked.send("y\n")) continue;
    return {};
  }
  static Result<void> cut_after(const Asked& asked, std::string_view text) {
    if (!text.empty()) asked.send(text);
    return fail(ErrorKind::Unavailable, "unexpected EOF");
  }

 private:
  Answer answer_;
  mutable std::mutex mutex_;
  std::vector<std::string> paths_;
};

// The time of a line as the kubelet sends it, of this second.
inline std::string at(int second) {
  return "2026-01-01T00:00:0" + std::to_string(second) + ".000000001Z ";
}

}  // namespace mc::kubectl
