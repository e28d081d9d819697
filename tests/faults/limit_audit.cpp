#include "tests/faults/limit_audit.h"

#include <algorithm>
#include <limits>

#include "common/api/model/names.h"
#include "common/base/text.h"
#include "tests/support/pods.h"

namespace mc::test {
namespace {

constexpr std::int64_t kUnlimited = std::numeric_limits<std::int64_t>::max();

// A leader that stands still sends what it has decided when it goes on, as long as it has the Lease
// (4 s); the proxy holds a write for up to 0.5 s.
constexpr std::chrono::seconds kOnItsWay{5};

// After a Job was made smaller, the Job controller may still create pods by what it had read
// before; then it deletes them. After the API server was away, its watch may be missing for this
// long: client-go's Reflector pauses for 30 s and up to as much again at random.
constexpr std::chrono::seconds kUntilItShrinks{60};

// A watch of pods may lag behind that of Jobs by so much (fault_proxy.h).
constexpr std::chrono::seconds kUnseen{1};

std::int64_t pods_of(const json& hard) {
  const json& pods = at_path(hard, {"pods"});
  if (pods.is_number_integer()) return pods.get<std::int64_t>();
  return pods.is_string() ? parse_integer(pods.get<std::string>()).value_or(0) : kUnlimited;
}

bool is_gone(const json& pod) {
  const json& metadata = at_path(pod, {"metadata"});
  return metadata.contains("deletionTimestamp") && items_at(metadata, {"finalizers"}).empty();
}

std::string owner_of(const json& pod) {
  for (const json& owner : items_at(pod, {"metadata", "ownerReferences"})) {
    if (text_at(owner, {"kind"}) == "Job") return text_at(owner, {"name"});
  }
  return "";
}

}  // namespace

void LimitAudit::take(const AuditedWrite& write) {
  if (write.resource == "pods") return take_pod(write);
  if (write.resource == "jobs" && write.verb == "delete") return take_end_of_job(write);
  if (write.object.is_null() || write.is_status) return;
  if (write.resource == "fluxsetups") take_setup(write);
  if (write.resource == "configmaps" && write.name == "minicluster-limits") take_limits(write);
  if (write.resource == "jobs") take_job(write);
}

void LimitAudit::take_setup(const AuditedWrite& write) {
  limits_.insert(pods_of(at_path(write.object, {"spec", "hard"})));
}

void LimitAudit::take_limits(const AuditedWrite& write) {
  const std::string text = text_at(write.object, {"data", "limits.json"});
  if (!write.is_by_replica()) return;
  const std::int64_t pods =
      text.empty() ? kUnlimited : pods_of(at_path(json::parse(text, nullptr, false), {"hard"}));
  if (!text.empty() && !limits_.contains(pods)) {
    blamed_.push_back(words(write) + ": no FluxSetup has a limit of " + std::to_string(pods));
  }
  published_.push_back({write.answered, pods});
}

void LimitAudit::take_job(const AuditedWrite& write) {
  Job& job = jobs_[write.name];
  const bool runs = at_path(write.object, {"spec", "suspend"}) != true;
  const bool waits =
      !text_at(write.object, {"metadata", "annotations", api::kQuotaAnnotation}).empty();
  const auto size = static_cast<std::size_t>(integer_at(write.object, {"spec", "parallelism"}, 1));
  if (runs && !job.runs) {
    job.by_others = !write.is_by_replica();
    job.allowed.assign(size, write.received);
  } else if (runs && job.by_others && write.is_by_replica() && !waits) {
    job.by_others = false;
    job.allowed.assign(size, write.received);
  } else if (runs) {
    if (size < job.allowed.size()) job.shrunk = write.received;
    job.allowed.resize(size, write.received);
  }
  // The Job controller may still create the pods of a Job that was suspended a moment ago.
  job.runs = runs;
}

// The leader may learn that the Job is gone before it has learnt of its last pods.
void LimitAudit::take_end_of_job(const AuditedWrite& write) {
  jobs_[write.name].is_gone = true;
  std::erase_if(pods_, [&](const auto& pod) {
    return pod.second.job == write.name && pod.second.created + kUnseen > write.received;
  });
}

void LimitAudit::take_pod(const AuditedWrite& write) {
  const bool is_over = write.object.is_null() || has_ended(write.object) || is_gone(write.object);
  if (is_over) {
    ended_.insert(write.name);
    pods_.erase(write.name);
    return;
  }
  const std::string job = owner_of(write.object);
  if (job.empty() || ended_.contains(write.name) ||
      !pods_.emplace(write.name, Pod{job, write.answered}).second)
    return;
  if (write.verb == "create") judge(write, job);
}

void LimitAudit::judge(const AuditedWrite& write, const std::string& job) {
  const Job& of = jobs_[job];
  if (of.is_gone) pods_.erase(write.name);
  if (of.by_others || of.is_gone) return;
  const auto has = static_cast<std::size_t>(
      std::ranges::count_if(pods_, [&](const auto& pod) { return pod.second.job == job; }));
  if (has > of.allowed.size()) {
    if (write.received < of.shrunk + kUntilItShrinks) {
      pods_.erase(write.name);
      return;
    }
    blamed_.push_back(words(write) + ": " + std::to_string(has) + " pods of a Job of " +
                      std::to_string(of.allowed.size()));
    return;
  }
  ++judged_;
  most_ = std::max(most_, used());
  const std::int64_t limit = limit_since(of.allowed[has - 1] - kOnItsWay);
  if (used() <= limit) return;
  blamed_.push_back(words(write) + ": " + std::to_string(used()) +
                    " pods are more than the limit of " + std::to_string(limit));
}

// The highest that the leader knew then or later.
std::int64_t LimitAudit::limit_since(Time time) const {
  const auto later = std::ranges::upper_bound(published_, time, {}, &Published::since);
  const bool was_limited = later != published_.begin();
  std::int64_t out = was_limited ? std::prev(later)->pods : kUnlimited;
  for (auto one = later; one != published_.end(); ++one) out = std::max(out, one->pods);
  return out;
}

std::int64_t LimitAudit::used() const {
  return std::ranges::count_if(pods_, [this](const auto& pod) {
    const auto job = jobs_.find(pod.second.job);
    return job != jobs_.end() && !job->second.by_others;
  });
}

}  // namespace mc::test
