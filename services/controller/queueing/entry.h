#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "common/base/json.h"

// What the workspace (workspace.h) contains. Pure.
namespace mc::controller::queueing {

// An admission that is written down but not yet seen in the Job: every leader lets the Job run with
// this size. Resources are not recorded: the Job has them, and their list has no limit.
struct Entry {
  std::string key;        // namespace/name of the MiniCluster
  std::string job;        // the uid of its Job
  std::int64_t size = 0;  // pods

  friend bool operator==(const Entry&, const Entry&) = default;
};

// Annotations of its ConfigMap: the process that wrote last, and Workspace::setup.
inline constexpr const char* kHolder = "flux-framework.org/holder";
inline constexpr const char* kSetupInForce = "flux-framework.org/fluxsetup";

// What the workspace says.
struct Workspace {
  std::vector<Entry> entries;
  // The FluxSetup that was in force when the last write was made; "": none.
  std::string setup;
};

// The Workspace as the data of a ConfigMap, and back. Data that is not ours, or was changed by
// hand so that it cannot be read, is ignored.
json entry_data(const Entry& entry);
Workspace read_workspace(const json& config_map);

}  // namespace mc::controller::queueing
