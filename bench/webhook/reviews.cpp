#include "bench/webhook/reviews.h"

#include "common/api/defaults.h"
#include "common/base/json.h"

namespace mc::bench {
namespace {

json minicluster() {
  return json::parse(R"({"apiVersion": "flux-framework.org/v1alpha2", "kind": "MiniCluster",
    "metadata": {"name": "lammps", "namespace": "lab", "creationTimestamp": "2026-01-01T00:00:00Z",
      "generation": 1, "uid": "5c2b7f0e-6a59-4c62-8d30-3f1f4dd3c5a1",
      "labels": {"team": "chemistry", "project": "reaxff"},
      "annotations": {"example.com/ticket": "HPC-1234"},
      "managedFields": [{"manager": "kubectl-create", "operation": "Update",
        "apiVersion": "flux-framework.org/v1alpha2", "time": "2026-01-01T00:00:00Z",
        "fieldsType": "FieldsV1", "fieldsV1": {"f:spec": {".": {}, "f:containers": {},
          "f:jobLabels": {".": {}, "f:cost-center": {}}, "f:logging": {".": {}, "f:timed": {}},
          "f:size": {}, "f:tasks": {}, "f:pod": {".": {}, "f:nodeSelector": {}}}}}]},
    "spec": {"size": 4, "tasks": 16, "jobLabels": {"cost-center": "a17"},
      "logging": {"timed": true}, "pod": {"nodeSelector": {"pool": "compute"}},
      "containers": [{"image": "ghcr.io/example/lammps:2024-08", "workingDir": "/home/lammps",
        "command": "lmp -v x 2 -v y 2 -v z 2 -in in.reaxff.hns -nocite",
        "environment": {"OMP_NUM_THREADS": "1", "LAMMPS_POTENTIALS": "/usr/share/lammps",
                        "UCX_TLS": "tcp,self"},
        "commands": {"pre": "module load lammps", "post": "tar -czf /data/out.tar.gz log.*"},
        "volumes": {"data": {"path": "/data", "claimName": "lab-data"},
                    "scratch": {"path": "/scratch", "emptyDir": true}},
        "resources": {"limits": {"cpu": "4", "memory": "8Gi"},
                      "requests": {"cpu": "4", "memory": "8Gi"}}}]}})");
}

std::string review_of(const json& object) {
  const json kind = {
      {"group", "flux-framework.org"}, {"version", "v1alpha2"}, {"kind", "MiniCluster"}};
  const json resource = {
      {"group", "flux-framework.org"}, {"version", "v1alpha2"}, {"resource", "miniclusters"}};
  return json({{"kind", "AdmissionReview"},
               {"apiVersion", "admission.k8s.io/v1"},
               {"request",
                {{"uid", "0df28fbd-5f5f-11e8-bc74-36e6bb280816"},
                 {"kind", kind},
                 {"resource", resource},
                 {"requestKind", kind},
                 {"requestResource", resource},
                 {"name", object["metadata"]["name"]},
                 {"namespace", "lab"},
                 {"operation", "CREATE"},
                 {"userInfo",
                  {{"username", "alice"},
                   {"uid", "014fbff9a07c"},
                   {"groups", {"system:authenticated", "hpc-users"}}}},
                 {"object", object},
                 {"oldObject", nullptr},
                 {"dryRun", false},
                 {"options",
                  {{"apiVersion", "meta.k8s.io/v1"},
                   {"kind", "CreateOptions"},
                   {"fieldManager", "kubectl-create"}}}}}})
      .dump();
}

json large() {
  json out = minicluster();
  json& variables = out["spec"]["containers"][0]["environment"];
  for (int i = 0; i < 2000; ++i) {
    variables["VARIABLE_" + std::to_string(i)] = std::string(80, 'x');
  }
  return out;
}

// A hundred volumes, each with one error.
json wrong() {
  json out = minicluster();
  json& volumes = out["spec"]["containers"][0]["volumes"];
  volumes = json::object();
  for (int i = 0; i < 100; ++i) {
    volumes["data-" + std::to_string(i)] = {{"path", "data"}, {"claimName", "lab-data"}};
  }
  return out;
}

}  // namespace

std::vector<Review> reviews() {
  return {{"mutate", "/mutate", review_of(minicluster())},
          {"validate", "/validate", review_of(api::with_defaults(minicluster()))},
          {"mutate, 200 KiB", "/mutate", review_of(large())},
          {"validate, 200 KiB", "/validate", review_of(api::with_defaults(large()))},
          {"validate, 100 errors", "/validate", review_of(api::with_defaults(wrong())), false}};
}

}  // namespace mc::bench
