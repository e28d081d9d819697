#include "bench/fleet/arrivals.h"

#include <stdexcept>

#include "common/base/json.h"
#include "common/kube/client.h"
#include "tests/support/must.h"

namespace mc::bench {
namespace {

// The version from which a watch sees what is created from now on.
std::string version_now(kube::Transport& transport, const kube::Resource& resource) {
  const json page = test::must(kube::Client(transport).send(
      kube::request::list(resource, "", {.limit = 1, .metadata_only = true})));
  return text_at(page, {"metadata", "resourceVersion"});
}

}  // namespace

Arrivals::Arrivals(kube::Transport& transport, const kube::Resource& resource)
    : what_(resource.plural) {
  const kube::Request watch = kube::request::watch(
      resource, "", {.resource_version = version_now(transport, resource), .metadata_only = true});
  thread_ = std::jthread([this, &transport, watch](const std::stop_token& stop) {
    const auto ended = transport.stream(watch, stop, [this](std::string_view line) {
      take(line);
      return true;
    });
    if (!ended) std::fprintf(stderr, "%s\n", ended.error().message.c_str());
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
                             " " + what_ + " have arrived");
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
  if (!arrived_.wait_for(lock, limit, arrived)) throw std::runtime_error(prefix + " did not come");
  return found->second;
}

}  // namespace mc::bench
