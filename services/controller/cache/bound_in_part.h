#pragma once
#include <chrono>
#include <cstddef>
#include <map>
#include <string>

#include "common/base/guarded.h"

namespace mc::controller {

// MiniClusters of which some pods have nodes and others wait for one, by key. Two of them may wait
// for each other for ever. Thread safe.
class BoundInPart {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // A scheduler that places all pods of a Job needs less.
  static constexpr std::chrono::seconds kLong{30};

  // It is in part now.
  void add(const std::string& key, Time now);
  // It is not, or is gone.
  void remove(const std::string& key);
  // The key of another one, if both have been in part for long. Of several, the one that has been
  // in part for the longest. "" without one.
  std::string other(const std::string& key, Time now) const;
  std::size_t size() const;

 private:
  // More are not told.
  static constexpr std::size_t kMost = 10'000;
  Guarded<std::map<std::string, Time>> since_;
};

}  // namespace mc::controller
