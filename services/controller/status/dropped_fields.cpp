#include "services/controller/status/dropped_fields.h"

#include <algorithm>
#include <iterator>
#include <ranges>
#include <set>

#include "common/api/model/names.h"
#include "common/base/json.h"
#include "common/base/text.h"

namespace mc::controller {
namespace {

struct Known {
  const char* path;
  const char* consequence;
  const char* gate;
};

// Fields behind a feature gate in a version of Kubernetes that is still in use.
constexpr Known kKnown[] = {
    {"spec.podFailurePolicy", "a command that fails is run again, within backoffLimit",
     "JobPodFailurePolicy"},
    {"spec.successPolicy",
     "the Job ends when every pod has ended by itself, and not with the lead's success",
     "JobSuccessPolicy"},
    {"spec.template.spec.initContainers.restartPolicy",
     "a container that does not run Flux and keeps its own entrypoint holds up the start of its "
     "pod",
     "SidecarContainers"},
};

DroppedField dropped(const std::string& path) {
  for (const Known& known : kKnown) {
    if (path != known.path) continue;
    return {path, known.consequence, std::string("enable the feature gate ") + known.gate};
  }
  return {path, "the field has no effect",
          "this version of Kubernetes does not have it, its feature gate is off, or an admission "
          "webhook or policy removes it"};
}

// The API server leaves out empty values.
bool is_empty(const json& value) {
  if (value.is_string()) return value.get_ref<const std::string&>().empty();
  if (value.is_boolean()) return value == false;
  return value.is_number() ? value == 0 : value.empty();
}

bool have_one_name(const json& sent, const json& answer) {
  return at_path(sent, {"name"}) == at_path(answer, {"name"});
}

// `path` is that of both, and is the same afterwards.
void collect(const json& sent, const json& answer, std::string& path,
             std::vector<std::string>& out) {
  if (sent.is_object() && answer.is_object()) {
    const std::size_t length = path.size();
    for (const auto& [name, value] : sent.get_ref<const json::object_t&>()) {
      if (is_empty(value)) continue;
      path.append(".").append(name);
      if (const auto there = answer.find(name); there == answer.end()) {
        out.push_back(path);
      } else {
        collect(value, *there, path, out);
      }
      path.resize(length);
    }
  } else if (sent.is_array() && answer.is_array()) {
    // An element that a webhook has inserted is not a dropped field.
    for (std::size_t i = 0; i < std::min(sent.size(), answer.size()); ++i) {
      if (have_one_name(sent[i], answer[i])) collect(sent[i], answer[i], path, out);
    }
  }
}

// The policies that the Job should have and has not. The counterpart of render/job.cpp.
std::set<std::string> needed_policies_without(const Job& job, const api::MiniCluster& cluster) {
  std::set<std::string> out;
  if (!job.restarts_on_failure && !job.has_pod_failure_policy) out.insert("spec.podFailurePolicy");
  // A Job of one pod, the lead, ends with it.
  const bool has_followers = job.completions.value_or(0) > 1;
  if (!cluster.spec.flux.bursting.lead_broker && has_followers && !job.has_success_policy) {
    out.insert("spec.successPolicy");
  }
  return out;
}

}  // namespace

std::vector<DroppedField> dropped_fields(const json& sent, const json& answer) {
  std::string path = "spec";
  std::vector<std::string> paths;
  collect(at_path(sent, {"spec"}), at_path(answer, {"spec"}), path, paths);
  std::ranges::sort(paths);
  const auto again = std::ranges::unique(paths);
  paths.erase(again.begin(), again.end());
  std::vector<DroppedField> out;
  std::ranges::transform(paths, std::back_inserter(out), dropped);
  return out;
}

std::string record_of(const std::vector<DroppedField>& dropped) {
  constexpr std::size_t most = 20, longest_path = 300;
  std::string out;
  for (std::size_t i = 0; i < std::min(dropped.size(), most); ++i) {
    out += i == 0 ? "" : ",";
    out += cut_utf8(dropped[i].path, longest_path);
  }
  return out;
}

std::vector<DroppedField> dropped_from(const Job& job, const api::MiniCluster& cluster) {
  std::set<std::string> paths = needed_policies_without(job, cluster);
  for (const auto part : std::views::split(job.notes.dropped, ',')) {
    if (!part.empty()) paths.emplace(part.begin(), part.end());
  }
  std::vector<DroppedField> out;
  std::ranges::transform(paths, std::back_inserter(out), dropped);
  return out;
}

}  // namespace mc::controller
