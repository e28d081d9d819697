#pragma once
#include <functional>
#include <stop_token>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/json.h"
#include "common/kube/transport.h"

// API servers in memory.
namespace mc::kube {

// For tests that watch nothing.
class WithoutStreams : public Transport {
 public:
  Result<void> stream(const Request&, std::stop_token,
                      const std::function<bool(std::string_view)>&) override {
    return fail(ErrorKind::Unavailable, "no streams here");
  }
  Result<void> read(const Request&, std::stop_token,
                    const std::function<bool(std::string_view)>&) override {
    return fail(ErrorKind::Unavailable, "no streams here");
  }
};

// Always gives the same answer, and records the requests.
class FixedAnswer final : public WithoutStreams {
 public:
  explicit FixedAnswer(Result<Response> answer) : answer_(std::move(answer)) {}
  Result<Response> send(const Request& request) override {
    asked.push_back(request);
    return answer_;
  }

  std::vector<Request> asked;

 private:
  const Result<Response> answer_;
};

// The answer to the creation of an object whose status the API server fills in, such as a review.
inline Response created(const json& status) { return {201, json{{"status", status}}.dump()}; }

}  // namespace mc::kube
