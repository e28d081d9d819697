#include "services/controller/cache/filling.h"

#include <algorithm>

namespace mc::controller {

void Filling::expect(const std::string& ns) {
  const std::scoped_lock lock(mutex_);
  ++namespaces_[ns].missing;
}

bool Filling::listed(const std::string& ns) {
  const std::scoped_lock lock(mutex_);
  OfNamespace& of = namespaces_.at(ns);
  const bool is_filled = --of.missing == 0;
  if (is_filled) changed_.notify_all();
  return is_filled;
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

bool Filling::is_filled(const std::string& ns) const {
  const std::scoped_lock lock(mutex_);
  auto found = namespaces_.find(ns);
  if (found == namespaces_.end()) found = namespaces_.find("");
  return found != namespaces_.end() && found->second.missing == 0;
}

// Called with mutex_ held.
bool Filling::is_done() const {
  const auto is_filled = [](const auto& one) { return one.second.missing == 0; };
  return std::ranges::any_of(namespaces_, is_filled) &&
         std::ranges::all_of(
             namespaces_, [&](const auto& one) { return is_filled(one) || one.second.is_refused; });
}

}  // namespace mc::controller
