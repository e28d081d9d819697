#include "services/controller/interpret/bindings.h"

#include "services/controller/interpret/pod_view.h"

namespace mc::controller {
namespace {

// When the pod got the node that it holds; nothing: it holds none.
std::optional<Time> held_since(const Pod& pod) {
  return is_over(pod) || is_deleted(pod.metadata) ? std::nullopt : pod.bound;
}

}  // namespace

void Bindings::add(const Pod& pod) {
  const auto since = held_since(pod);
  if (!since) return;
  ++bound_[*since];
  ++count_;
}

void Bindings::remove(const Pod& pod) {
  const auto since = held_since(pod);
  if (!since) return;
  const auto found = bound_.find(*since);
  if (--found->second == 0) bound_.erase(found);
  --count_;
}

void Bindings::settle() {
  if (count_ == 0) is_told_ = false;
}

std::optional<std::chrono::seconds> Bindings::take_time(std::int64_t needed) {
  if (is_told_ || needed < 1 || count_ < needed) return std::nullopt;
  is_told_ = true;
  auto last = bound_.begin();
  for (std::int64_t seen = last->second; seen < needed; seen += last->second) ++last;
  return last->first - bound_.begin()->first;
}

}  // namespace mc::controller
