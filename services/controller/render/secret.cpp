#include "services/controller/render/secret.h"

#include "common/api/names.h"
#include "services/controller/render/metadata.h"

namespace mc::render {

json secret(const api::MiniCluster& cluster, std::string certificate) {
  return {{"apiVersion", "v1"},
          {"kind", "Secret"},
          {"metadata", metadata(cluster, curve_secret_name(cluster), object_labels(cluster))},
          {"type", "Opaque"},
          {"immutable", true},
          {"stringData", {{"curve.cert", std::move(certificate)}}}};
}

}  // namespace mc::render
