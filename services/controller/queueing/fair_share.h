#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "common/api/model/quantity.h"
#include "services/controller/queueing/limits.h"

// What namespaces and accounts have used lately, and which places in the queue that gives what they
// wait for. Pure.
//
// The use of an account is the mean of its share of the limits over the past, in which what was a
// half-life ago counts half: at a constant share it approaches that share. The fair share of a
// namespace is a number from 0 to 1,
//
//   part / (part + its use),   part = its weight / the weights of all that compete
//
// that is 1 without any use, 1/2 if it used its part, and 1/3 if it used twice that. Those compete
// that use something or wait for something. Nothing is reserved for a namespace that waits for
// nothing, so the others borrow its part, and what they borrowed counts as their use.
//
// The accounts of a namespace that compete have equal parts of it. That only lowers: the one that
// has used least has the fair share of its namespace, the others have less in the same relation. So
// nobody gets before another namespace by a new label.
//
// A fair share of 1 puts a MiniCluster ahead of those that were created kMostAhead half-lives
// before it, 1/2 ahead of half of that. So nobody waits for ever: one that comes later than that
// stays behind.
namespace mc::controller::queueing {

// Whose use it is: of the MiniClusters of a namespace with this value of api::kAccountLabel; "":
// those without it.
struct Account {
  std::string ns, name;

  friend auto operator<=>(const Account&, const Account&) = default;
};

inline constexpr std::int64_t kMostAhead = 4;  // half-lives
inline constexpr std::chrono::seconds kShareEvery{60};
// Accounts that are remembered while they use nothing, those with the largest use.
inline constexpr std::size_t kMostAccounts = 1000;

// The largest part that the amounts are of a limit, in billionths, at most 1 (the dominant share
// of Ghodsi et al., "Dominant Resource Fairness", NSDI 2011). A resource without a limit does not
// count, and a limit of 0 does not either.
std::int64_t dominant_share(const api::Amounts& amounts, const api::Amounts& hard);

// What accounts had used at a time; 1 is all of the limits.
struct Uses {
  Time at;
  std::map<Account, double> of;

  friend bool operator==(const Uses&, const Uses&) = default;
};

// What of them counts at a later time, if nothing was used since. `uses` from the future are those
// of now.
Uses decayed(Uses uses, Time now, std::chrono::seconds half_life);

// From 0 to 1, in thousandths.
struct FairShareOf {
  std::int64_t exact = 1000;
  // For people: a multiple of 50 that follows the exact one once that is 50 away from it, so that a
  // text with it changes rarely.
  std::int64_t shown = 1000;

  friend bool operator==(const FairShareOf&, const FairShareOf&) = default;
};

// How long one waited since its creation, in thousandths of what a fair share of 1 puts it ahead.
std::int64_t age_of(Time created, Time now, std::chrono::seconds half_life);

// No clock. A time that is before the last one counts as no time; after a jump forward, earlier
// use is forgotten.
class FairShare {
 public:
  FairShare(FairSharePolicy policy, api::Amounts hard);

  // What was used stays. The shares of those that run change with their next set().
  void set_policy(FairSharePolicy policy, api::Amounts hard);
  const FairSharePolicy& policy() const { return policy_; }

  // The MiniCluster takes so much from now on. O(1).
  void set(const std::string& key, const Account& account, const api::Amounts& amounts, Time now);

  // Computes the fair share of all accounts that use something, and of these, which wait.
  void refresh(Time now, const std::set<Account>& waiting);
  std::optional<Time> refreshed() const { return refreshed_; }
  bool is_due(Time now) const;

  // As of the last refresh(). Null: the account was not there.
  const FairShareOf* find(const Account& account) const;
  std::chrono::seconds ahead_of(const Account& account) const;

  bool is_used() const { return !counted_.empty(); }  // something runs
  // The kMostAccounts largest.
  Uses uses(Time now) const;
  // Goes on from what another process knew.
  void resume(const Uses& uses, Time now);

 private:
  struct Use {
    double value = 0;
    std::int64_t share = 0;  // now, in billionths
    Time at;                 // of the value
  };
  struct Counted {
    Account account;
    std::int64_t share = 0;
  };
  // Of one namespace, those that compete.
  struct Rival {
    double use = 0;  // also of its accounts that do not compete
    std::map<std::string, double> accounts = {};
  };

  void change(const Account& account, std::int64_t share, Time now);
  void advance(Use& use, Time now) const;
  void forget();
  std::map<std::string, Rival> rivals(const std::set<Account>& waiting) const;
  double weight_of(const std::string& ns) const;
  void judge(const std::string& ns, const Rival& rival, double part);

  FairSharePolicy policy_;
  api::Amounts hard_;
  std::map<Account, Use> uses_;
  std::unordered_map<std::string, Counted> counted_;  // by key
  std::map<Account, FairShareOf> judged_;
  std::optional<Time> refreshed_;
};

}  // namespace mc::controller::queueing
