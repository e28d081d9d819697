#pragma once
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "bench/first_output/moment.h"
#include "common/base/json.h"
#include "common/kube/request.h"
#include "common/kube/transport.h"

namespace mc::bench {

// An object as it came from the API server, and when.
struct Arrival {
  Moment at = 0;
  bool deleted = false;
  json object = {};
};
using Arrivals = std::vector<Arrival>;

// Records what happens to the objects of one kind in a namespace, from its construction on, in a
// thread of its own.
class Recording {
 public:
  // `transport` must outlive it. Throws if the API server cannot be asked.
  Recording(kube::Transport& transport, const kube::Resource& resource, const std::string& ns);

  // Waits until `enough` is true for all arrivals so far, and returns them. Throws if that takes
  // more than two minutes, or if the watch has ended.
  Arrivals until(const std::function<bool(const Arrivals&)>& enough);

 private:
  void take(std::string_view line);

  std::mutex mutex_;
  std::condition_variable changed_;
  Arrivals arrivals_;
  std::string end_;      // why the watch has ended; empty while it has not
  std::jthread thread_;  // the last member: uses those above
};

}  // namespace mc::bench
