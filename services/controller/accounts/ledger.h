#pragma once
#include <cstddef>
#include <vector>

#include "common/api/model/accounts.h"
#include "common/base/json.h"

// How runs come into the ConfigMap of their namespace, whose size is bounded. Pure.
namespace mc::controller::accounts {

// The newest runs have a record each; those before are added up, by account.
inline constexpr std::size_t kMostRuns = 500;
// More accounts are added up as "".
inline constexpr std::size_t kMostAccounts = 100;
// Of each sum.
inline constexpr std::size_t kMostResources = 12;

// Whether the ConfigMap has this run. `may_be_there`: another process may have written it, so that
// one which ended no later than the runs that were added up counts as one of them.
bool has_run(const api::Accounts& there, const api::RunRecord& run, bool may_be_there);

// What the data of the ConfigMap must become, as a merge patch: with these runs, which it lacks.
json data_with(const api::Accounts& there, const std::vector<api::RunRecord>& runs);

}  // namespace mc::controller::accounts
