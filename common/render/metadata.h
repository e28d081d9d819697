#pragma once
#include <string>

#include "common/api/model/minicluster.h"
#include "common/base/json.h"

namespace mc::render {

// metadata of an object of ours: name, namespace, labels, and the MiniCluster as the controlling
// owner. The owner is left out while it has no uid, as in offline render: the garbage collector
// would treat the object as an orphan.
json metadata(const api::MiniCluster& cluster, std::string name, const api::StringMap& labels);

// The labels that select the pods of the MiniCluster, and of its Job: not its services pod.
json pod_selector(const api::MiniCluster& cluster);
json job_selector(const api::MiniCluster& cluster);

// object[key] = value, unless value is empty (string, object, array) or null.
void set_unless_empty(json& object, const char* key, json value);

}  // namespace mc::render
