#include "services/controller/accounts/ledger.h"

#include <algorithm>
#include <cstddef>
#include <string>

namespace mc::controller::accounts {
namespace {

using api::Accounts;
using api::RunRecord;

const std::string kOtherAccounts;  // ""

void add_to_sums(Accounts& sums, const RunRecord& run) {
  const bool has_place =
      sums.earlier.contains(run.account) || sums.earlier.size() + 1 < kMostAccounts;
  api::EarlierRuns& to = sums.earlier[has_place ? run.account : kOtherAccounts];
  ++to.runs;
  api::add_use(to.use, run.use, kMostResources);
  sums.until = std::max(sums.until.value_or(run.ended), run.ended);
}

// The newest end last; of several, by their uids, so that every process has the same order.
bool ended_before(const RunRecord* a, const RunRecord* b) {
  return a->ended != b->ended ? a->ended < b->ended : a->job < b->job;
}

}  // namespace

bool has_run(const Accounts& there, const RunRecord& run, bool may_be_there) {
  return there.runs.contains(run.job) || (may_be_there && there.until && run.ended <= *there.until);
}

json data_with(const Accounts& there, const std::vector<RunRecord>& runs) {
  std::vector<const RunRecord*> all;
  all.reserve(there.runs.size() + runs.size());
  for (const auto& [job, run] : there.runs) all.push_back(&run);
  for (const RunRecord& run : runs) all.push_back(&run);
  std::ranges::sort(all, ended_before);
  const std::size_t old = all.size() > kMostRuns ? all.size() - kMostRuns : 0;
  json out = json::object();
  for (std::size_t i = old; i < all.size(); ++i) {
    if (!there.runs.contains(all[i]->job)) out[all[i]->job] = api::run_text(*all[i]);
  }
  if (old == 0) return out;
  Accounts sums{.runs = {}, .earlier = there.earlier, .until = there.until};
  for (std::size_t i = 0; i < old; ++i) {
    add_to_sums(sums, *all[i]);
    if (there.runs.contains(all[i]->job)) out[all[i]->job] = nullptr;
  }
  out[api::kEarlierKey] = api::earlier_text(sums);
  return out;
}

}  // namespace mc::controller::accounts
