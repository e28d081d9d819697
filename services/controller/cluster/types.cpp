#include "services/controller/cluster/types.h"

#include <algorithm>

namespace mc::controller {

const SharedText* find_label(const Labels& labels, std::string_view key) {
  const auto found =
      std::ranges::find_if(labels, [&](const auto& label) { return label.first == key; });
  return found == labels.end() ? nullptr : &found->second;
}

bool is_deleted(const Metadata& object) { return object.deletion.has_value(); }

Opaque::Opaque(const json& tree) {
  if (!tree.is_null()) text_ = dump(tree);
}

json Opaque::tree() const { return text_.empty() ? json() : json::parse(text_.str()); }

json as_written(const MiniCluster& cluster) {
  json out = cluster.written.tree();
  const Metadata& has = cluster.metadata;
  const auto set = [&](const char* member, const std::string& text) {
    if (!text.empty()) out["metadata"][member] = text;
  };
  set("name", has.name);
  set("namespace", has.ns);
  set("uid", has.uid);
  return out;
}

const api::StoredCondition* final_condition(const ClusterStatus& status) {
  const auto* complete = api::find_true_condition(status.conditions, api::kComplete);
  return complete != nullptr ? complete : api::find_true_condition(status.conditions, api::kFailed);
}

bool is_finished(const ClusterStatus& status) { return final_condition(status) != nullptr; }

bool is_unwritten(const ClusterStatus& status) {
  if (status == ClusterStatus()) return true;
  // Another operator's status may have kept this part of the default.
  return status.observed_generation == -1 && status.selector.empty() && status.conditions.empty();
}

bool names_other_manager(std::string_view managed_by) {
  return !managed_by.empty() && managed_by != "flux-framework.org/minicluster-operator";
}

std::string owner_key(const Metadata& object, std::string_view kind) {
  if (object.owner.kind != kind) return "";
  return object.ns.empty() ? object.owner.name.str()
                           : object.ns.str() + "/" + object.owner.name.str();
}

std::string owner_id(std::string_view ns, std::string_view uid) {
  std::string out(ns);
  return out.append("/").append(uid);
}

std::string namespace_of(const std::string& key) { return key.substr(0, key.find('/')); }

}  // namespace mc::controller
