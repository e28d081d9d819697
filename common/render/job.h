#pragma once
#include "common/api/model/minicluster.h"
#include "common/base/json.h"

namespace mc::render {

// True if a queueing system decides when the Job runs.
bool has_queue(const api::MiniCluster& cluster);

// True if a queue may admit only some of the pods (Kueue's partial admission): their number is
// known only once the Job runs.
bool has_partial_admission(const api::MiniCluster& cluster);

// How many pods the Job has: the members of its spec that say so. A pod for each broker.
json job_size(const api::MiniCluster& cluster);

// The Indexed Job whose pods are the brokers.
json job(const api::MiniCluster& cluster);

// The same without template and failure policy, which follows from the template.
json job_outline(const api::MiniCluster& cluster);

}  // namespace mc::render
