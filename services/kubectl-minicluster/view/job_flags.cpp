#include "services/kubectl-minicluster/view/job_flags.h"

#include <array>
#include <string_view>
#include <vector>

#include "common/api/model/quantity.h"
#include "common/base/text.h"
#include "services/kubectl-minicluster/view/set_field.h"
#include "services/kubectl-minicluster/view/time_limit.h"

namespace mc::kubectl {
namespace {

// Slurm's units of memory are binary: 4G, 4g and 4GB in Slurm are 4Gi in Kubernetes, and 4000 are
// 4000Mi (sbatch(1), --mem). Returns "" for a text that is not a number with such a unit.
std::string memory_quantity(std::string_view text) {
  const std::size_t size = api::number_length(text);
  if (size == 0) return "";
  const std::string number(text.substr(0, size));
  std::string unit = lower_case(std::string(text.substr(size)));
  if (unit.empty()) return number + "Mi";
  if (unit.size() > 1 && unit.back() == 'b') unit.pop_back();
  if (unit.size() == 2 && unit.back() == 'i') unit.pop_back();
  const bool is_known = unit.size() == 1 && std::string_view("kmgtp").contains(unit.front());
  if (!is_known) return "";
  const char first = unit.front();
  return number + (first == 'k' ? 'K' : static_cast<char>(first - 'a' + 'A')) + "i";
}

void add_options(const JobFlags& flags, json& spec) {
  std::vector<std::string> options;
  if (flags.cores_per_task)
    options.push_back("--cores-per-task=" + std::to_string(*flags.cores_per_task));
  if (flags.gpus_per_task)
    options.push_back("--gpus-per-task=" + std::to_string(*flags.gpus_per_task));
  if (flags.labels) options.emplace_back("--label-io");
  if (options.empty()) return;
  const std::string before = text_at(spec, {"flux", "optionFlags"});
  if (!before.empty()) options.insert(options.begin(), before);
  object_in(spec, "flux")["optionFlags"] = joined(options, " ");
}

}  // namespace

std::expected<void, std::string> apply_job_flags(const JobFlags& flags, json& spec, json& runner) {
  if (!flags.time_limit.empty()) {
    const auto seconds = seconds_of_time_limit(flags.time_limit);
    if (!seconds) return std::unexpected("--time-limit " + why_no_time(flags.time_limit));
    spec["deadlineSeconds"] = *seconds;
  }
  if (!flags.memory.empty()) {
    const std::string memory = memory_quantity(flags.memory);
    if (memory.empty()) {
      return std::unexpected("--mem " + one_line(flags.memory) +
                             ": expected an amount with its unit, such as 4G or 4096M");
    }
    json& resources = object_in(runner, "resources");
    for (const char* const part : {"requests", "limits"})
      object_in(resources, part)["memory"] = memory;
  }
  if (!flags.folder.empty()) runner["workingDir"] = flags.folder;
  add_options(flags, spec);
  return {};
}

}  // namespace mc::kubectl
