#include "services/controller/queueing/admissions.h"

#include <chrono>
#include <cstddef>
#include <utility>

namespace mc::controller::queueing {
namespace {

// After this time no request that this process has sent can still take effect: the API server ends
// each after 60 s (kube-apiserver --request-timeout).
constexpr std::chrono::seconds kLate{120};

// Whether the Job has done what the entry allows.
bool is_done(const Workload& workload, const Entry& entry) {
  return workload.runs && workload.size >= entry.size;
}

// Whether nothing can come of the entry any more: its Job is gone, or was suspended by somebody
// else since, so that a late resume fails.
bool is_void(const Workload& workload, const Entry& entry) {
  return workload.job != entry.job || (!workload.runs && !workload.waits);
}

// Its MiniCluster wants no more pods, or no longer wants its Job to start: that one may have ended
// while it was suspended.
bool is_unwanted(const Workload& workload) {
  return workload.runs ? !workload.growth.is_made() : !workload.start.is_made();
}

}  // namespace

api::Amounts amounts_of(const Workload& workload, const Entry& entry) {
  api::Amounts out = workload.waits ? workload.held_back : api::Amounts();
  if (entry.size > workload.size) {
    api::add_amounts(out, workload.pod, entry.size - workload.size);
  }
  return out;
}

Admissions::Admissions(std::vector<Entry> logged) {
  for (Entry& entry : logged) {
    std::string key = entry.key;
    by_key_[std::move(key)].entry = std::move(entry);
  }
}

void Admissions::add(const Entry& entry) { by_key_[entry.key] = {.entry = entry}; }

void Admissions::settle(const std::string& key, const Workload& workload, Time now) {
  const auto found = by_key_.find(key);
  if (found == by_key_.end()) return;
  auto& [entry, lapses, is_withheld] = found->second;
  if (is_withheld || is_unwanted(workload)) {
    if (!lapses) lapses = now + kLate;
  } else {
    lapses.reset();
  }
  if (is_done(workload, entry) || is_void(workload, entry) || (lapses && *lapses <= now)) {
    done_.push_back(entry.job);
    by_key_.erase(found);
  }
}

bool Admissions::withhold(const std::string& key, bool is_withheld) {
  return std::exchange(by_key_.at(key).is_withheld, is_withheld) != is_withheld;
}

const Admission* Admissions::find(const std::string& key) const {
  const auto found = by_key_.find(key);
  return found == by_key_.end() ? nullptr : &found->second;
}

const Entry* Admissions::granted(const std::string& key) const {
  const Admission* admission = find(key);
  return admission == nullptr || admission->is_withheld ? nullptr : &admission->entry;
}

std::optional<Time> Admissions::next() const {
  std::optional<Time> out;
  for (const auto& [key, admission] : by_key_) {
    if (admission.lapses && (!out || *admission.lapses < *out)) out = admission.lapses;
  }
  return out;
}

std::vector<std::string> Admissions::lapsed(Time now) const {
  std::vector<std::string> out;
  for (const auto& [key, admission] : by_key_) {
    if (admission.lapses && *admission.lapses <= now) out.push_back(key);
  }
  return out;
}

void Admissions::remove_done(std::size_t count) {
  done_.erase(done_.begin(), done_.begin() + static_cast<std::ptrdiff_t>(count));
}

}  // namespace mc::controller::queueing
