#pragma once
#include <map>
#include <string>

#include "common/base/json.h"
#include "tests/support/kubectl.h"

// Pods as the API server returns them.
namespace mc::test {

// Whether the phase of a pod is final.
bool has_ended(const json& pod);

// MiniCluster -> its pods in the namespace that have a node and have not ended.
std::map<std::string, int> placed_pods(const Kubectl& kubectl);

}  // namespace mc::test
