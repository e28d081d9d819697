#pragma once
#include <chrono>
#include <optional>
#include <string>

#include "services/controller/cluster/observed.h"

// A MiniCluster whose pods are taken back, because it and another one have nodes for only some of
// their pods, and a FluxSetup asks for that (spec.deadlockPolicy). Pure.
namespace mc::controller {

struct Release {
  Time at;
  std::string other;  // the key of the MiniCluster that gets the nodes
};

// After this time it is in the queue again: the other one has its nodes by then.
inline constexpr std::chrono::seconds kReleasedFor{60};

// The release that the Job records; nothing if there was none, or if it is in the queue again.
std::optional<Release> release_of(const Job& job);

// The value of api::kQuotaAnnotation for it.
std::string release_note(const Release& release);

// Whether the Job may be released now: its command has never run, because none of its pods has
// ended, it was not Ready since its start, and too few of its pods have a node. Only the younger
// one of two is released, so that the oldest of all goes on.
bool is_to_be_released(const Observed& observed, const Job& job);

}  // namespace mc::controller
