#include "services/controller/cache/filling.h"

#include <algorithm>

namespace mc::controller {

void Filling::expect(const std::string& ns) {
  const std::scoped_lock lock(mutex_);
  ++namespaces_[ns].missing;
}

bool Filling::listed(const std::string& ns, Time now) {
  const std::scoped_lock lock(mutex_);
  OfNamespace& of = namespaces_.at(ns);
  if (--of.missing > 0) return false;
  of.since = now;
  changed_.notify_all();
  return true;
}

void Filling::refused(const std::string& ns) {
  const std::scoped_lock lock(mutex_);
  namespaces_.at(ns).is_refused = true;
  changed_.notify_all();
}

bool Filling::wait(const std::stop_token& stop, std::optional<std::chrono::seconds> most) const {
  std::unique_lock lock(mutex_);
  const auto done = [this] { return is_done(); };
  if (most) return changed_.wait_for(lock, stop, *most, done);
  return changed_.wait(lock, stop, done);
}

bool Filling::is_listed(const std::string& ns) const {
  const std::scoped_lock lock(mutex_);
  const OfNamespace* of = find(ns);
  return of != nullptr && of->missing == 0;
}

bool Filling::is_filled(const std::string& ns, Time now) const {
  const std::scoped_lock lock(mutex_);
  const OfNamespace* of = find(ns);
  if (of == nullptr || of->missing > 0) return false;
  return !of->is_refused || now >= of->since + kSettles;
}

// Called with mutex_ held. Null: it is not watched.
const Filling::OfNamespace* Filling::find(const std::string& ns) const {
  auto found = namespaces_.find(ns);
  if (found == namespaces_.end()) found = namespaces_.find("");
  return found == namespaces_.end() ? nullptr : &found->second;
}

// Called with mutex_ held.
bool Filling::is_done() const {
  const auto is_listed = [](const auto& one) { return one.second.missing == 0; };
  return std::ranges::any_of(namespaces_, is_listed) &&
         std::ranges::all_of(
             namespaces_, [&](const auto& one) { return is_listed(one) || one.second.is_refused; });
}

}  // namespace mc::controller
