#include "services/controller/queueing/fair_share_log.h"

#include <cmath>
#include <utility>

#include "common/base/rfc3339.h"

namespace mc::controller::queueing {
namespace {

// Keys of the data.
constexpr const char* kUsesAt = "at";
constexpr const char* kUses = "uses";  // by namespace and account

constexpr double kMillion = 1e6;
// A use that is as large would be a site that ran a thousand times more than its limits.
constexpr double kMostUse = 1000;

}  // namespace

json uses_data(const Uses& uses) {
  json of = json::object();
  for (const auto& [account, use] : uses.of) {
    const auto millionths = std::llround(use * kMillion);
    if (millionths > 0) of[account.ns][account.name] = static_cast<double>(millionths) / kMillion;
  }
  return {{kUsesAt, rfc3339(uses.at)}, {kUses, of.dump()}};
}

Uses read_uses(const json& config_map) {
  Uses out;
  const auto at = parse_rfc3339(text_at(config_map, {"data", kUsesAt}));
  if (!at) return out;
  out.at = std::chrono::floor<std::chrono::seconds>(*at);
  const json of = json::parse(text_at(config_map, {"data", kUses}), nullptr, false);
  if (!of.is_object()) return out;
  for (const auto& [ns, accounts] : of.items()) {
    if (!accounts.is_object()) continue;
    for (const auto& [account, use] : accounts.items()) {
      if (!use.is_number() || out.of.size() == kMostAccounts) continue;
      const double value = use.get<double>();
      if (value > 0 && value <= kMostUse) out.of[{ns, account}] = value;
    }
  }
  return out;
}

FairShareLog::FairShareLog(const kube::Client& client, const std::string& ns,
                           const std::string& instance)
    : map_(client, ns, kFairShareLog, instance) {}

Result<Uses> FairShareLog::take_over() {
  const auto there = map_.take_over();
  if (!there) return std::unexpected(there.error());
  written_ = read_uses(*there);
  return written_;
}

Result<void> FairShareLog::write(const Uses& uses, std::chrono::seconds half_life) {
  if (!map_.is_held()) {
    if (const auto taken = map_.take_over(); !taken) return std::unexpected(taken.error());
  }
  const json data = uses_data(uses);
  if (data == uses_data(decayed(written_, uses.at, half_life))) return {};
  if (auto done = map_.write({{"data", data}}); !done) return done;
  written_ = uses;
  return {};
}

}  // namespace mc::controller::queueing
