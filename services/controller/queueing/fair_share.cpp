#include "services/controller/queueing/fair_share.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <utility>
#include <vector>

namespace mc::controller::queueing {
namespace {

constexpr double kWholeShare = 1e9;
constexpr double kLeastUse = 1e-6;  // less is forgotten
constexpr std::int64_t kShownStep = 50;

double number(const api::Quantity& amount) { return static_cast<double>(amount.nano()); }

double fair_share_of(double part, double use) { return part / (part + use); }

std::int64_t shown_for(std::int64_t exact) {
  return (exact + kShownStep / 2) / kShownStep * kShownStep;
}

using ByUse = std::vector<std::pair<double, Account>>;

// Those that are too many: all but the kMostAccounts with the largest use.
ByUse too_many(ByUse uses) {
  if (uses.size() <= kMostAccounts) return {};
  const auto rest = uses.begin() + static_cast<std::ptrdiff_t>(kMostAccounts);
  std::ranges::nth_element(uses, rest, std::greater());
  return {rest, uses.end()};
}

// What counts of a use after this time.
double kept_after(std::chrono::seconds passed, std::chrono::seconds half_life) {
  return std::exp2(-std::chrono::duration<double>(passed) / half_life);
}

}  // namespace

std::int64_t dominant_share(const api::Amounts& amounts, const api::Amounts& hard) {
  double out = 0;
  for (const auto& [name, limit] : hard) {
    const auto found = amounts.find(name);
    if (found == amounts.end() || limit <= api::Quantity()) continue;
    out = std::max(out, number(found->second) / number(limit));
  }
  return std::llround(std::min(out, 1.0) * kWholeShare);
}

std::int64_t age_of(Time created, Time now, std::chrono::seconds half_life) {
  const std::chrono::duration<double> most_ahead = half_life * kMostAhead;
  return std::max<std::int64_t>(0, static_cast<std::int64_t>((now - created) / most_ahead * 1000));
}

Uses decayed(Uses uses, Time now, std::chrono::seconds half_life) {
  if (now > uses.at) {
    for (auto& [unused, use] : uses.of) use *= kept_after(now - uses.at, half_life);
  }
  uses.at = now;
  return uses;
}

FairShare::FairShare(FairSharePolicy policy, api::Amounts hard)
    : policy_(std::move(policy)), hard_(std::move(hard)) {}

void FairShare::set_policy(FairSharePolicy policy, api::Amounts hard) {
  policy_ = std::move(policy);
  hard_ = std::move(hard);
  refreshed_.reset();
}

void FairShare::set(const std::string& key, const Account& account, const api::Amounts& amounts,
                    Time now) {
  const std::int64_t share = dominant_share(amounts, hard_);
  const auto known = counted_.find(key);
  if (known != counted_.end()) {
    if (known->second.account == account && known->second.share == share) return;
    change(known->second.account, -known->second.share, now);
    counted_.erase(known);
  }
  if (share == 0) return;
  change(account, share, now);
  counted_[key] = {account, share};
}

void FairShare::change(const Account& account, std::int64_t share, Time now) {
  Use& use = uses_.try_emplace(account, Use{.at = now}).first->second;
  advance(use, now);
  use.share += share;
}

void FairShare::advance(Use& use, Time now) const {
  if (now > use.at) {
    const double kept = kept_after(now - use.at, policy_.half_life);
    use.value = use.value * kept + static_cast<double>(use.share) / kWholeShare * (1 - kept);
  }
  use.at = now;
}

bool FairShare::is_due(Time now) const {
  return !refreshed_ || now < *refreshed_ || now - *refreshed_ >= kShareEvery;
}

void FairShare::refresh(Time now, const std::set<Account>& waiting) {
  refreshed_ = now;
  for (auto& [unused, use] : uses_) advance(use, now);
  forget();
  const std::map<std::string, Rival> all = rivals(waiting);
  double weights = 0;
  for (const auto& [ns, unused] : all) weights += weight_of(ns);
  const std::map<Account, FairShareOf> before = std::exchange(judged_, {});
  for (const auto& [ns, rival] : all) judge(ns, rival, weight_of(ns) / weights);
  for (auto& [account, now_has] : judged_) {
    const auto had = before.find(account);
    const bool is_near =
        had != before.end() && std::abs(now_has.exact - had->second.shown) < kShownStep;
    now_has.shown = is_near ? had->second.shown : shown_for(now_has.exact);
  }
}

void FairShare::forget() {
  std::erase_if(uses_, [](const auto& entry) {
    return entry.second.share == 0 && entry.second.value < kLeastUse;
  });
  ByUse idle;
  for (const auto& [account, use] : uses_) {
    if (use.share == 0) idle.emplace_back(use.value, account);
  }
  for (const auto& [unused, account] : too_many(std::move(idle))) uses_.erase(account);
}

std::map<std::string, FairShare::Rival> FairShare::rivals(const std::set<Account>& waiting) const {
  std::map<std::string, Rival> out;
  for (const Account& account : waiting) out[account.ns].accounts[account.name] = 0;
  for (const auto& [account, use] : uses_) {
    if (use.share > 0) out[account.ns].accounts[account.name] = 0;
  }
  for (const auto& [account, use] : uses_) {
    const auto rival = out.find(account.ns);
    if (rival == out.end()) continue;
    rival->second.use += use.value;
    const auto competes = rival->second.accounts.find(account.name);
    if (competes != rival->second.accounts.end()) competes->second = use.value;
  }
  return out;
}

double FairShare::weight_of(const std::string& ns) const {
  const auto found = policy_.weights.find(ns);
  return static_cast<double>(found == policy_.weights.end() ? api::kUsualWeight : found->second);
}

// `part`: of the namespace.
void FairShare::judge(const std::string& ns, const Rival& rival, double part) {
  const double of_each = part / static_cast<double>(rival.accounts.size());
  double best = 0;
  for (const auto& [unused, use] : rival.accounts) {
    best = std::max(best, fair_share_of(of_each, use));
  }
  const double of_namespace = fair_share_of(part, rival.use);
  for (const auto& [name, use] : rival.accounts) {
    const double relation = fair_share_of(of_each, use) / best;
    judged_[{ns, name}] = {std::llround(of_namespace * relation * 1000), 0};
  }
}

const FairShareOf* FairShare::find(const Account& account) const {
  const auto found = judged_.find(account);
  return found == judged_.end() ? nullptr : &found->second;
}

std::chrono::seconds FairShare::ahead_of(const Account& account) const {
  const FairShareOf* found = find(account);
  if (found == nullptr) return std::chrono::seconds(0);
  return policy_.half_life * (kMostAhead * found->exact) / 1000;
}

Uses FairShare::uses(Time now) const {
  Uses out{now, {}};
  ByUse all;
  for (const auto& [account, then] : uses_) {
    Use use = then;
    advance(use, now);
    out.of[account] = use.value;
    all.emplace_back(use.value, account);
  }
  for (const auto& [unused, account] : too_many(std::move(all))) out.of.erase(account);
  return out;
}

void FairShare::resume(const Uses& uses, Time now) {
  for (const auto& [account, value] : decayed(uses, now, policy_.half_life).of) {
    Use& use = uses_[account];
    use.value = value;
    use.at = now;
  }
}

}  // namespace mc::controller::queueing
