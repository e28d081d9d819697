#pragma once
#include "common/api/model/minicluster.h"

// Labels and annotations of a MiniCluster that are for queueing and gang schedulers.
namespace mc::render {

// Adds those of `from` that a scheduler reads from the Job; what `to` has stays.
void add_for_job(const api::StringMap& from, api::StringMap& to);

// Adds those of `from` that a scheduler reads from the pods; what `to` has stays.
void add_for_pods(const api::StringMap& from, api::StringMap& to);

}  // namespace mc::render
