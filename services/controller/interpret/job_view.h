#pragma once
#include <cstdint>
#include <optional>

#include "common/api/model/conditions.h"
#include "common/api/model/minicluster.h"
#include "services/controller/cluster/observed.h"
#include "services/controller/cluster/types.h"

// What a MiniCluster's Job says: who holds it, how far it is, how it ended. Pure.
namespace mc::controller {

// True if a queueing system decides when the Job runs.
bool has_queue(const Job& job);

// True once the Job has ended, or was made to give up (ends.h).
bool has_ended(const Job& job);

// True if a queue may have admitted only some of the pods of this Job (Kueue's partial admission),
// so that the controller passes their number to the lead.
bool has_partial_admission(const Job& job);

// Number of pods that must be ready before the command starts: the quorum that the brokers were
// configured with (an annotation of the Job), all pods that a queue has admitted, or else what the
// spec says now.
std::int64_t quorum_of(const Job& job, const api::Spec& spec);

// Why Kueue holds the Job; nothing if it is not suspended, if we suspended it, or if its Workload
// is not known.
std::optional<Reason> why_suspended(const Observed& observed, const Job& job);

// How often the queue has suspended the Job for others, and whether it waits because of that.
std::int64_t preemptions_of(const Job& job);
bool was_preempted(const Job& job);

// Whether the queue may suspend a Job that runs for others: the MiniCluster agrees to that, and was
// not suspended too often.
bool is_preemptible(const MiniCluster& cluster, const Job& job);

// Whether the limits of a FluxSetup keep the Job suspended, or its release does (release.h).
bool waits_for_quota(const Job& job);

// Number of ready pods: the Job's count, or the count by the pods if one has ended and the Job does
// not know it yet.
std::int64_t ready_pods(const Observed& observed, const Job& job);

// Complete or Failed, once the Job has ended, or is suspended after it was made to give up. A
// failed command is reported with its code.
std::optional<api::Condition> ended(const Observed& observed, const Job& job,
                                    const api::MiniCluster& cluster);

}  // namespace mc::controller
