#pragma once
#include <cstdint>
#include <expected>
#include <optional>
#include <string>

#include "common/base/json.h"

namespace mc::kubectl {

// Flags of `run` with the names that they have in Slurm and Flux; empty: not given.
struct JobFlags {
  std::string time_limit = {}, memory = {}, folder = {};
  std::optional<std::int64_t> tasks_per_node = {}, cores_per_task = {}, gpus_per_task = {};
  bool labels = false;  // each line of output with its rank
};

// Sets what they mean in `spec`, whose size is set, and in `runner`, the container that runs Flux.
// Options of Flux follow those that spec.flux.optionFlags has, and so win. The error is a sentence.
[[nodiscard]] std::expected<void, std::string> apply_job_flags(const JobFlags& flags, json& spec,
                                                               json& runner);

}  // namespace mc::kubectl
