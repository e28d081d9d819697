#pragma once
#include "common/base/json.h"
#include "tests/common/api/base_object.h"

// AdmissionReviews as an API server sends them.
namespace mc::webhook {

inline json valid_cluster() {
  return test::with_patch(R"({"metadata": {"name": "lammps"}, "spec": {"containers": [
      {"image": "ghcr.io/rse-ops/lammps:1", "command": "lmp"}]}})");
}

// valid_cluster() with a merge patch (RFC 7386) applied.
inline json cluster_with(const char* patch) {
  json cluster = valid_cluster();
  cluster.merge_patch(json::parse(patch));
  return cluster;
}

inline json review_of(const char* operation, const json& object, const json& old = nullptr) {
  return {
      {"apiVersion", "admission.k8s.io/v1"},
      {"kind", "AdmissionReview"},
      {"request",
       {{"uid", "705ab4f5-6393-11e8-b7cc-42010a800002"},
        {"kind",
         {{"group", "flux-framework.org"}, {"version", "v1alpha2"}, {"kind", "MiniCluster"}}},
        {"resource",
         {{"group", "flux-framework.org"}, {"version", "v1alpha2"}, {"resource", "miniclusters"}}},
        {"name", "lammps"},
        {"namespace", "default"},
        {"operation", operation},
        {"userInfo", {{"username", "admin"}}},
        {"object", object},
        {"oldObject", old},
        {"dryRun", false},
        {"options", nullptr}}}};
}

// The same for a FluxSetup, which has no namespace.
inline json review_of_setup(const char* operation, const json& object, const json& old = nullptr) {
  json review = review_of(operation, object, old);
  review["request"].merge_patch(json::parse(R"({"name": "site", "namespace": null,
      "kind": {"kind": "FluxSetup"}, "resource": {"resource": "fluxsetups"}})"));
  return review;
}

}  // namespace mc::webhook
