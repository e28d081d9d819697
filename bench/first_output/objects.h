#pragma once
#include <string>

#include "common/base/json.h"

// What is measured. Each has the name `name` and prints `output` as its first line.
namespace mc::bench {

inline constexpr const char* kOutput = "output";
inline constexpr const char* kBegin = "begin";
inline constexpr int kPods = 4;

// An Indexed Job that prints it in each pod.
json plain_job(const std::string& name, const std::string& ns);

// A Job of one pod that prints `begin`, and then `output` by as many brokers as the MiniClusters
// have.
json brokers_in_one_pod(const std::string& name, const std::string& ns);

// A MiniCluster that prints it as a Flux job of a task on each node.
json cluster_with_flux(const std::string& name, const std::string& ns);
json cluster_with_view(const std::string& name, const std::string& ns);

}  // namespace mc::bench
