#include "common/kube/work_queue_metrics.h"

#include <array>
#include <utility>
#include <vector>

namespace mc::kube {
namespace {

struct Value {
  const char* name;
  observe::MetricType type;
  const char* help;
  double QueueState::* of;
};
constexpr std::array kValues = {
    Value{"workqueue_adds_total", observe::MetricType::Counter, "Keys added to the queue.",
          &QueueState::adds},
    Value{"workqueue_retries_total", observe::MetricType::Counter,
          "Keys added again after an error, except those that are tried again every 30 s.",
          &QueueState::retries},
    Value{"workqueue_unfinished_work_seconds", observe::MetricType::Gauge,
          "Total duration so far of the reconciles in progress, in seconds.",
          &QueueState::unfinished_seconds},
    Value{"workqueue_longest_running_processor_seconds", observe::MetricType::Gauge,
          "Duration so far of the longest reconcile in progress, in seconds.",
          &QueueState::longest_seconds}};

}  // namespace

WorkQueueMetrics::WorkQueueMetrics(observe::Registry& registry, std::string name)
    : registry_(registry),
      name_(std::move(name)),
      queue_time_(registry.histogram(
          "workqueue_queue_duration_seconds", "Time that a key waits in the queue, in seconds.",
          observe::kWideBuckets, {{"name", name_}, {"controller", name_}})),
      work_time_(registry.histogram("workqueue_work_duration_seconds",
                                    "Time to process a key, in seconds.", observe::kWideBuckets,
                                    {{"name", name_}, {"controller", name_}})) {}

void WorkQueueMetrics::follow(const std::function<QueueState()>& now) {
  // The label `priority` is controller-runtime's; our queue has only one level.
  registry_.collect({"workqueue_depth",
                     observe::MetricType::Gauge,
                     "Keys waiting in the queue.",
                     {"name", "controller", "priority"}},
                    [now, name = name_]() -> std::vector<observe::Sample> {
                      return {{{name, name, ""}, now().depth}};
                    });
  for (const Value& value : kValues) {
    registry_.collect({value.name, value.type, value.help, {"name", "controller"}},
                      [now, name = name_, of = value.of]() -> std::vector<observe::Sample> {
                        return {{{name, name}, now().*of}};
                      });
  }
}

void WorkQueueMetrics::taken(double waited_seconds) { queue_time_.observe(waited_seconds); }

void WorkQueueMetrics::done(double worked_seconds) { work_time_.observe(worked_seconds); }

}  // namespace mc::kube
