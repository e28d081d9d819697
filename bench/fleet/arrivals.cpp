#include "bench/fleet/arrivals.h"

#include <stdexcept>

#include "bench/support/watch_lines.h"
#include "common/base/json.h"

namespace mc::bench {

Arrivals::Arrivals(kube::Transport& transport, const kube::Resource& resource)
    : what_(resource.plural) {
  thread_ = watch_lines(
      transport, resource, "", true, [this](std::string_view line) { take(line); },
      [this](const std::string& why) {
        const std::scoped_lock lock(mutex_);
        end_ = why;
      });
}

void Arrivals::take(std::string_view line) {
  const Time now = std::chrono::steady_clock::now();
  if (!line.starts_with(R"({"type":"ADDED")")) return;
  const json event = json::parse(line, nullptr, false);
  const std::scoped_lock lock(mutex_);
  by_name_.emplace(text_at(event, {"object", "metadata", "name"}), now);
  last_ = now;
  arrived_.notify_all();
}

Time Arrivals::of_number(std::size_t count, std::chrono::seconds limit) {
  std::unique_lock lock(mutex_);
  if (!arrived_.wait_for(lock, limit, [&] { return by_name_.size() >= count; })) {
    throw std::runtime_error(std::to_string(by_name_.size()) + " of " + std::to_string(count) +
                             " " + what_ + " have arrived. " + end_);
  }
  return last_;
}

Time Arrivals::of_name(const std::string& prefix, std::chrono::seconds limit) {
  std::unique_lock lock(mutex_);
  auto found = by_name_.end();
  const auto arrived = [&] {
    found = by_name_.lower_bound(prefix);
    return found != by_name_.end() && found->first.starts_with(prefix);
  };
  if (!arrived_.wait_for(lock, limit, arrived)) {
    throw std::runtime_error(prefix + " did not come. " + end_);
  }
  return found->second;
}

}  // namespace mc::bench
