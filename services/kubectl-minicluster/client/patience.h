#pragma once
#include <chrono>
#include <optional>

#include "common/base/result.h"

namespace mc::kubectl {

// How long a watch goes on although the API server refuses it. What has worked is also refused for
// a moment: while kubectl gets a new credential, or while an API server that has just started does
// not know all rights yet.
class Patience {
 public:
  using Time = std::chrono::steady_clock::time_point;

  explicit Patience(std::chrono::seconds limit = std::chrono::seconds(60)) : limit_(limit) {}

  // The API server has shown what is watched.
  void succeeded();

  // Whether this refusal ends the watch: it has lasted, or there was no success before. But one 401
  // before the first success is none, because kubectl gets a new credential after it.
  bool is_final(const Error& refusal, Time now);

 private:
  std::chrono::seconds limit_;
  bool has_succeeded_ = false, was_unauthorized_ = false;
  std::optional<Time> since_;  // the first refusal after a success
  Time last_{};
};

}  // namespace mc::kubectl
