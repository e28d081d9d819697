#pragma once
#include <optional>
#include <string>

#include "common/api/model/conditions.h"
#include "common/api/model/minicluster.h"
#include "common/base/json.h"
#include "services/controller/cache/observed.h"
#include "services/controller/status/pod_problems.h"

// How far a MiniCluster is, by its Job and pods. Pure.
namespace mc::controller {

// True where the Job has that condition ("Complete", "Failed", "Suspended") with status True.
bool has_condition(const json* job, std::string_view type);

// True where a queue may have admitted a part of the pods, and the lead is told how many there are.
bool is_told_on_admission(const json& job);

// Pods that must be ready before the command starts: what the brokers were told when they were
// made (an annotation of the Job), all that a queue has admitted, or else what the spec says now.
std::int64_t quorum_of(const json& job, const api::Spec& spec);

// Why Kueue holds the Job; nothing where it runs, where we hold it, or where Kueue's word is not
// known.
std::optional<PodProblem> why_held(const Observed& observed, const json& job);

// Suspended: by us (Suspended), or by a queueing system that holds the Job back (Queued). Nothing
// for a Job that runs and was never seen suspended.
std::optional<api::Condition> suspended(const Observed& observed, const json& job);

// Ready: the quorum is there; or why not, in the scheduler's, kubelet's or Job controller's words.
api::Condition ready(const Observed& observed, const json& job, const api::MiniCluster& cluster);

// How many pods are ready: the Job's count, or that of the pods where one has ended of which the
// Job does not know yet.
std::int64_t ready_pods(const Observed& observed, const json& job);

// Complete or Failed, once the Job has ended, or is held after it was told to end. A failed command
// is told with its code.
std::optional<api::Condition> ended(const Observed& observed, const json& job,
                                    const api::MiniCluster& cluster);

}  // namespace mc::controller
