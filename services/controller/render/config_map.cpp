#include "services/controller/render/config_map.h"

#include "common/api/model/names.h"
#include "services/controller/render/entrypoint.h"
#include "services/controller/render/metadata.h"

namespace mc::render {

json config_map(const api::MiniCluster& cluster) {
  json data = json::object();
  for (EntrypointFile& file : entrypoint_files(cluster)) data[file.key] = std::move(file.text);
  return {{"apiVersion", "v1"},
          {"kind", "ConfigMap"},
          {"metadata", metadata(cluster, config_map_name(cluster), object_labels(cluster))},
          {"immutable", true},
          {"data", std::move(data)}};
}

}  // namespace mc::render
