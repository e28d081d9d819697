#include "common/render/secret.h"

#include "common/api/model/names.h"
#include "common/render/metadata.h"

namespace mc::render {

bool makes_secret(const api::MiniCluster& cluster) {
  return cluster.spec.flux.curve_cert_secret.empty();
}

std::string certificate_secret(const api::MiniCluster& cluster) {
  return makes_secret(cluster) ? curve_secret_name(cluster) : cluster.spec.flux.curve_cert_secret;
}

json secret(const api::MiniCluster& cluster, std::string certificate) {
  return {{"apiVersion", "v1"},
          {"kind", "Secret"},
          {"metadata", metadata(cluster, curve_secret_name(cluster), object_labels(cluster))},
          {"type", "Opaque"},
          {"immutable", true},
          {"stringData", {{"curve.cert", std::move(certificate)}}}};
}

}  // namespace mc::render
