#pragma once
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <map>
#include <mutex>
#include <string>
#include <thread>

#include "common/kube/request.h"
#include "common/kube/transport.h"

namespace mc::bench {

using Time = std::chrono::steady_clock::time_point;

// When objects of a resource, in any namespace, are created: seen by a watch, as a controller sees
// them.
class Arrivals {
 public:
  // Returns once the watch has begun; counts from then on.
  Arrivals(kube::Transport& transport, const kube::Resource& resource);

  // Waits until `count` have arrived and returns when the last of them did. Throws after `limit`.
  Time of_number(std::size_t count, std::chrono::seconds limit);
  // The same for the first object whose name begins with `prefix`.
  Time of_name(const std::string& prefix, std::chrono::seconds limit);

 private:
  void take(std::string_view line);

  std::string what_;
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::map<std::string, Time> by_name_;
  Time last_;
  std::string end_;      // why the watch has ended; empty while it has not
  std::jthread thread_;  // last: it uses the others
};

}  // namespace mc::bench
