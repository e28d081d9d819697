#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/json.h"

// What ended MiniClusters have used, as the ConfigMap kAccountsConfigMap of their namespace keeps
// it: the controller writes it, kubectl-minicluster reads it (docs/accounts.md). Pure.
namespace mc::api {

inline constexpr const char* kAccountsConfigMap = "minicluster-accounts";

// How a run ended.
inline constexpr const char* kRunSucceeded = "Succeeded";
inline constexpr const char* kRunFailed = "Failed";
inline constexpr const char* kRunDeleted = "Deleted";  // with its Job, before it had ended

// Amounts by resource, each times the seconds for which pods held it: cores, bytes or pieces.
using ResourceSeconds = std::map<std::string, double, std::less<>>;

// What was used and waited for.
struct Use {
  std::int64_t pod_seconds = 0;  // of pods that have a node, until they end
  ResourceSeconds resource_seconds = {};
  std::int64_t wait_seconds = 0;  // from the creation of the Job to RunRecord::started
  std::int64_t preemptions = 0;   // suspensions after the start that the spec did not ask for
  // Of the starts that a preemption ended without a checkpoint: none was agreed
  // (spec.preemptible.checkpoint), or jobs did not end in its time.
  std::int64_t lost_pod_seconds = 0;

  friend bool operator==(const Use&, const Use&) = default;
};

// One run of a MiniCluster, which is one Job.
struct RunRecord {
  std::string job = {};   // its uid
  std::string name = {};  // of the MiniCluster, as `cluster` its uid
  std::string cluster = {};
  std::string account = {};  // the label kAccountLabel (names.h); "" without
  std::int64_t pods = 0;
  std::optional<std::chrono::sys_seconds> created = {};  // of the Job
  // The pods that the command needs have nodes.
  std::optional<std::chrono::sys_seconds> started = {};
  std::chrono::sys_seconds ended = {};
  std::string result = {};                     // one of the three above
  std::optional<std::int64_t> exit_code = {};  // of the command, if it is known
  Use use = {};

  friend bool operator==(const RunRecord&, const RunRecord&) = default;
};

// The sum of runs that have no record any more.
struct EarlierRuns {
  std::int64_t runs = 0;
  Use use = {};

  friend bool operator==(const EarlierRuns&, const EarlierRuns&) = default;
};

struct Accounts {
  std::map<std::string, RunRecord> runs;          // by the uid of their Job
  std::map<std::string, EarlierRuns> earlier;     // by account
  std::optional<std::chrono::sys_seconds> until;  // the last end of the earlier runs
};

// The key with the sums. The other keys are the uids of Jobs.
inline constexpr const char* kEarlierKey = "earlier";

// The longest text of a run, in bytes: without the last of its resources if it were longer.
inline constexpr std::size_t kMostRunText = 1500;

// What a ConfigMap says. Data that is not ours, or was changed by hand so that it cannot be read,
// is ignored.
Accounts read_accounts(const json& config_map);

// The values of the keys, as compact JSON.
std::string run_text(const RunRecord& run);
std::string earlier_text(const Accounts& accounts);

// As a number of JSON, without the fraction `.0` of a whole one.
json number_of(double value);

// Adds `more` to `sum`. A resource that `sum` lacks is added while it has fewer than `most` of
// them.
void add_use(Use& sum, const Use& more, std::size_t most);

}  // namespace mc::api
