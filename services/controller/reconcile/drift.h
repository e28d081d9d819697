#pragma once
#include "common/base/json.h"
#include "services/controller/cluster/types.h"

// What an object of ours lacks of the one that is `wanted`, as a merge patch; null if nothing is
// missing. Compares only what may change and is ours. Additions by others stay, and so does a pod's
// image, which a registry mirror may have rewritten on admission.
namespace mc::controller {

// Our labels, of an object that has these.
json drift(const json& wanted, const Labels& there);
json drift(const json& wanted, const ConfigMap& there);
json drift(const json& wanted, const Pod& there);
// Also minAvailable.
json drift(const json& wanted, const PodDisruptionBudget& there);
// Also minCount.
json drift(const json& wanted, const PodGroup& there);
// Also the selector, ports and publishNotReadyAddresses.
json drift(const json& wanted, const Service& there);
// Also backoffLimit and activeDeadlineSeconds.
json drift(const json& wanted, const Job& there);

}  // namespace mc::controller
