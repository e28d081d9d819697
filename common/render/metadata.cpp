#include "common/render/metadata.h"

#include "common/api/model/names.h"

namespace mc::render {

json metadata(const api::MiniCluster& cluster, std::string name, const api::StringMap& labels) {
  json out = {{"name", std::move(name)}, {"labels", labels}};
  set_unless_empty(out, "namespace", cluster.namespace_);
  if (!cluster.uid.empty()) {
    out["ownerReferences"] = json::array({{{"apiVersion", api::kApiVersion},
                                           {"kind", api::kKind},
                                           {"name", cluster.name},
                                           {"uid", cluster.uid},
                                           {"controller", true},
                                           {"blockOwnerDeletion", true}}});
  }
  return out;
}

json pod_selector(const api::MiniCluster& cluster) {
  const std::string label(api::kUidLabel);
  return {{label, api::pod_labels(cluster).at(label)}};
}

json job_selector(const api::MiniCluster& cluster) {
  json out = pod_selector(cluster);
  out["batch.kubernetes.io/job-name"] = job_name(cluster);
  return out;
}

void set_unless_empty(json& object, const char* key, json value) {
  const bool empty = value.is_string()
                         ? value.get_ref<const std::string&>().empty()
                         : (value.is_structured() || value.is_null()) && value.empty();
  if (!empty) object[key] = std::move(value);
}

}  // namespace mc::render
