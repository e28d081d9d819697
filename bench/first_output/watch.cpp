#include "bench/first_output/watch.h"

#include <chrono>
#include <stdexcept>

#include "bench/support/watch_lines.h"

namespace mc::bench {

Recording::Recording(kube::Transport& transport, const kube::Resource& resource,
                     const std::string& ns) {
  thread_ = watch_lines(
      transport, resource, ns, false, [this](std::string_view line) { take(line); },
      [this](const std::string& why) {
        const std::scoped_lock lock(mutex_);
        end_ = why;
        changed_.notify_all();
      });
}

void Recording::take(std::string_view line) {
  Arrival arrival{.at = now()};
  json event = json::parse(line, nullptr, false);
  const std::string type = text_at(event, {"type"});
  arrival.deleted = type == "DELETED";
  if (!arrival.deleted && type != "ADDED" && type != "MODIFIED") return;
  arrival.object = std::move(event["object"]);
  const std::scoped_lock lock(mutex_);
  arrivals_.push_back(std::move(arrival));
  changed_.notify_all();
}

Arrivals Recording::until(const std::function<bool(const Arrivals&)>& enough) {
  std::unique_lock lock(mutex_);
  const bool done = changed_.wait_for(lock, std::chrono::minutes(2),
                                      [&] { return !end_.empty() || enough(arrivals_); });
  if (!done) throw std::runtime_error("nothing more happens to the objects of the benchmark");
  if (!enough(arrivals_)) throw std::runtime_error(end_);
  return arrivals_;
}

}  // namespace mc::bench
