#include "tests/faults/promise_audit.h"

#include <algorithm>

#include "common/api/model/conditions.h"
#include "common/base/rfc3339.h"

namespace mc::test {
namespace {

// After faults, what is told is right within 30 s (docs/reliability.md).
constexpr std::chrono::seconds kUntilTold{30};

// The time in "It starts at 2026-01-01T00:00:00Z at the latest."; "" without one.
std::string latest_in(const std::string& message) {
  constexpr std::string_view kBefore = " It starts at ";
  const std::size_t at = message.find(kBefore);
  return at == std::string::npos ? "" : message.substr(at + kBefore.size(), 20);
}

}  // namespace

void PromiseAudit::judge_latest(const std::string& name, AuditedWrite::Time now) {
  const auto& [promised, generation, latest, at] = told_[name];
  const auto time = parse_rfc3339(latest);
  // A leader whose clock is behind says a time that has passed.
  if (!time ||
      std::max<AuditedWrite::Time>(std::chrono::floor<std::chrono::microseconds>(*time), at) +
              kUntilTold >=
          now)
    return;
  blamed_.push_back(name + " was told to start at " + latest + ", and then nothing for " +
                    std::to_string(kUntilTold.count()) + " s");
}

void PromiseAudit::end(AuditedWrite::Time time) {
  for (const auto& [name, unused] : told_) judge_latest(name, time);
}

void PromiseAudit::take(const AuditedWrite& write) {
  const bool starts = write.resource == "jobs" && write.object.is_object() &&
                      at_path(write.object, {"spec", "suspend"}) != true;
  const bool ends = write.resource == "miniclusters" && write.verb == "delete";
  if (starts || ends) {
    judge_latest(write.name, write.received);
    told_.erase(write.name);
    return;
  }
  if (write.resource != "miniclusters" || !write.is_status || write.object.is_null()) return;
  const Told before = told_[write.name];
  judge_latest(write.name, write.received);
  const json* const quota = api::condition_of(write.object, api::kQuotaReserved);
  const json& status = at_path(write.object, {"status"});
  Told& now = told_[write.name];
  now = {text_at(status, {"promisedStartTime"}), integer_at(status, {"observedGeneration"}), "",
         write.answered};
  if (quota == nullptr) return;
  const std::string reason = text_at(*quota, {"reason"}), message = text_at(*quota, {"message"});
  now.latest = latest_in(message);
  if (before.promised.empty() && !now.promised.empty()) ++promises_;
  if (reason == api::kReasonStartDelayed) ++delayed_;
  if (!status.contains("positionInQueue")) return;
  const std::string what = words(write) + ": ";
  const bool is_later = now.promised.empty() || now.promised > before.promised;
  if (before.generation == now.generation && !before.promised.empty() && is_later) {
    blamed_.push_back(what + "it was promised " + before.promised + ", and now \"" + now.promised +
                      "\"");
  }
  const bool says = message.contains(" It starts at ") || message.contains(" It starts once ");
  if (!now.promised.empty() && reason == api::kReasonWaiting && !says) {
    blamed_.push_back(what + "it was promised " + now.promised + ", and is told: " + message);
  }
}

}  // namespace mc::test
