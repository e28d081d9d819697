#pragma once
#include <functional>
#include <string>

#include "common/observe/metrics.h"

namespace mc::kube {

struct QueueState {
  double depth = 0;               // keys ready to be taken
  double adds = 0, retries = 0;   // since the start
  double unfinished_seconds = 0;  // total time of the running reconciles
  double longest_seconds = 0;     // time of the longest one
};

// One work queue, in client-go's families (workqueue_*).
class WorkQueueMetrics {
 public:
  // `name` is the value of the labels `name` and `controller`.
  WorkQueueMetrics(observe::Registry& registry, std::string name);

  // `now` is called at each scrape; what it uses must outlive the last one.
  void follow(const std::function<QueueState()>& now);
  // A key was taken after it had waited this long.
  void taken(double waited_seconds);
  // Its reconcile took this long.
  void done(double worked_seconds);

 private:
  observe::Registry& registry_;
  const std::string name_;
  observe::Histogram queue_time_, work_time_;
};

}  // namespace mc::kube
