#include "services/controller/cache/reduce.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/api/model/names.h"
#include "common/base/json.h"
#include "common/base/text.h"

namespace mc::controller {
namespace {

// Of a text, which may be the last 2 KiB of a log.
constexpr std::size_t kMostText = 1024;

std::string cut(const std::string& text) { return std::string(cut_utf8(text, kMostText)); }

// The named members of `from`, texts cut.
json members(const json& from, std::initializer_list<const char*> names) {
  json out = json::object();
  for (const char* name : names) {
    const json& value = at_path(from, {name});
    if (value.is_string()) {
      out[name] = cut(value.get<std::string>());
    } else if (!value.is_null()) {
      out[name] = value;
    }
  }
  return out;
}

// The named members of each container of a list, and those parts of its resources that are set.
json reduce_containers(const json& list, std::initializer_list<const char*> names,
                       std::initializer_list<const char*> resources) {
  json out = json::array();
  for (const json& container : items_at(list, {})) {
    json reduced = members(container, names);
    for (const char* part : resources) {
      const json& amounts = at_path(container, {"resources", part});
      if (amounts.is_object() && !amounts.empty()) reduced["resources"][part] = amounts;
    }
    out.push_back(std::move(reduced));
  }
  return out;
}

// Of the spec of a pod or a template: the named members of its containers, and what
// quota/demand.cpp reads.
json reduce_pod_spec(const json& spec, std::initializer_list<const char*> names,
                     std::initializer_list<const char*> resources) {
  json out = members(spec, {"overhead", "resources"});
  out["containers"] = reduce_containers(at_path(spec, {"containers"}), names, resources);
  const json start =
      reduce_containers(at_path(spec, {"initContainers"}), {"restartPolicy"}, resources);
  const auto requests = [](const json& container) { return container.contains("resources"); };
  if (std::ranges::any_of(start, requests)) out["initContainers"] = start;
  return out;
}

// Keeps of each owner what tells which object it is.
void reduce_owners(json& metadata) {
  const json owners = std::exchange(metadata["ownerReferences"], json::array());
  for (const json& owner : items_at(owners, {})) {
    metadata["ownerReferences"].push_back(members(owner, {"kind", "name", "uid", "controller"}));
  }
}

// Items of a list have no kind.
json with_kind(std::string_view kind, const json& object) {
  json out = {{"kind", kind}, {"metadata", at_path(object, {"metadata"})}};
  if (out["metadata"].is_object()) reduce_owners(out["metadata"]);
  return out;
}

// These members of the spec.
json reduce_spec(const json& object, std::initializer_list<const char*> names) {
  json out = json::object();
  for (const char* name : names) {
    if (const json& value = at_path(object, {"spec", name}); !value.is_null()) out[name] = value;
  }
  return out;
}

// Keeps only our annotations.
void reduce_annotations(json& metadata) {
  json ours = json::object();
  for (const std::string_view key : api::kJobAnnotations) {
    const json& value = at_path(metadata, {"annotations", key});
    if (!value.is_null()) ours[std::string(key)] = value;
  }
  metadata["annotations"] = std::move(ours);
}

}  // namespace

json reduce_job(const json& object) {
  json out = with_kind("Job", object);
  reduce_annotations(out["metadata"]);
  out["spec"] = reduce_spec(
      object, {"completions", "parallelism", "suspend", "backoffLimit", "activeDeadlineSeconds"});
  for (const char* policy : kPolicies) {
    if (at_path(object, {"spec", policy}).is_object()) out["spec"][policy] = json::object();
  }
  const json& pod = at_path(object, {"spec", "template", "spec"});
  if (pod.is_object()) {
    json& kept = out["spec"]["template"]["spec"];
    kept = reduce_pod_spec(pod, {}, {"limits", "requests"});
    for (const char* name : {"restartPolicy", "terminationGracePeriodSeconds"}) {
      if (pod.contains(name)) kept[name] = pod.at(name);
    }
  }
  out["status"] = at_path(object, {"status"});
  return out;
}

}  // namespace mc::controller
