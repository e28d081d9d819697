#include "services/controller/queueing/usage.h"

#include <algorithm>
#include <utility>

namespace mc::controller::queueing {
namespace {

// A sum that stopped at the limits of 128 bits says no more what was added.
bool is_capped(const api::Quantity& sum) { return sum + api::Quantity(1) == sum; }

void subtract_from_sum(api::Amounts& sum, const api::Amounts& less) {
  for (const auto& [name, amount] : less) {
    const auto found = sum.find(name);
    if (found == sum.end()) continue;
    found->second -= amount;
    if (found->second == api::Quantity()) sum.erase(found);
  }
}

}  // namespace

void add(api::Amounts& sum, const api::Amounts& more) {
  for (const auto& [name, amount] : more) {
    if (amount != api::Quantity()) sum[name] += amount;
  }
}

api::Amounts used_of(const api::Amounts& hard, const api::Amounts& used) {
  api::Amounts out;
  for (const auto& [name, unused] : hard) {
    const auto found = used.find(name);
    out[name] = found == used.end() ? api::Quantity() : found->second;
  }
  return out;
}

void Usage::set(Running running) {
  remove(running.key);
  std::string key = running.key;
  const Running& counted = running_.emplace(std::move(key), std::move(running)).first->second;
  if (counted.end) by_end_.emplace(*counted.end, &counted);
  add(cluster_, counted.amounts);
  add(namespaces_[counted.ns], counted.amounts);
}

void Usage::remove(const std::string& key) {
  const auto found = running_.find(key);
  if (found == running_.end()) return;
  if (found->second.end) by_end_.erase({*found->second.end, &found->second});
  const Running gone = std::move(found->second);
  running_.erase(found);
  subtract(gone);
}

const api::Amounts& Usage::in(std::string_view ns) const {
  static const api::Amounts kNothing;
  const auto found = namespaces_.find(ns);
  return found == namespaces_.end() ? kNothing : found->second;
}

void Usage::subtract(const Running& gone) {
  const auto was_capped = [this](const auto& entry) {
    const auto sum = cluster_.find(entry.first);
    return sum != cluster_.end() && is_capped(sum->second);
  };
  if (std::ranges::any_of(gone.amounts, was_capped)) return recount();
  subtract_from_sum(cluster_, gone.amounts);
  const auto of_namespace = namespaces_.find(gone.ns);
  if (of_namespace == namespaces_.end()) return;  // nothing was counted
  subtract_from_sum(of_namespace->second, gone.amounts);
  if (of_namespace->second.empty()) namespaces_.erase(of_namespace);
}

void Usage::recount() {
  cluster_.clear();
  namespaces_.clear();
  for (const auto& [unused, counted] : running_) {
    add(cluster_, counted.amounts);
    add(namespaces_[counted.ns], counted.amounts);
  }
}

}  // namespace mc::controller::queueing
