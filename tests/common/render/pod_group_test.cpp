#include "common/render/pod_group.h"

#include <gtest/gtest.h>

#include "common/api/examine.h"
#include "common/base/json.h"
#include "common/render/job.h"
#include "tests/common/render/cases.h"

// PodGroups, and where the pods of a MiniCluster are relative to each other.
namespace mc::render {
namespace {

api::MiniCluster in_version(const char* spec, const char* version) {
  json object = json::parse(R"({"apiVersion": "flux-framework.org/v1alpha2",
      "kind": "MiniCluster", "metadata": {"name": "sample", "namespace": "lab"},
      "spec": {"size": 4, "containers": [{"image": "ubuntu:noble"}]}})");
  object["spec"].merge_patch(json::parse(spec));
  api::MiniCluster out = api::examine(object).cluster;
  out.pod_group_version = version;
  return out;
}

TEST(PodGroup, IsInTheFormOfItsVersion) {
  EXPECT_TRUE(pod_group(in_version("{}", "")).is_null());
  const char* spec = R"({"topology": {"required": "example.com/rack"},
                         "pod": {"template": {"spec": {"priorityClassName": "high"}}}})";
  EXPECT_EQ(pod_group(in_version(spec, "v1beta1"))["spec"], json::parse(R"({
      "schedulingPolicy": {"gang": {"minCount": 4}}, "disruptionMode": {"all": {}},
      "schedulingConstraints": {"topology": [{"key": "example.com/rack"}]},
      "priorityClassName": "high"})"));
  const json older = pod_group(in_version("{}", "v1alpha2"));
  EXPECT_EQ(older["apiVersion"], "scheduling.k8s.io/v1alpha2");
  EXPECT_EQ(older["spec"]["disruptionMode"], "PodGroup");
}

// The affinity of the pods to each other, and their annotations for Kueue.
json place(const char* spec) {
  const json pod = job(in_version(spec, ""))["spec"]["template"];
  json out = json::object();
  const json& affinity = at_path(pod, {"spec", "affinity", "podAffinity"});
  for (const json& term : items_at(affinity, {"requiredDuringSchedulingIgnoredDuringExecution"})) {
    out["required"] = term["topologyKey"];
  }
  for (const json& term : items_at(affinity, {"preferredDuringSchedulingIgnoredDuringExecution"})) {
    out["preferred"] = term["podAffinityTerm"]["topologyKey"];
  }
  for (const auto& [key, value] : pod["metadata"]["annotations"].items()) {
    if (key.starts_with("kueue.x-k8s.io/")) out[key] = value;
  }
  return out;
}

TEST(Topology, IsAnAffinityOrWhatKueueReads) {
  const struct {
    const char *spec, *place;
  } kRows[] = {
      {"{}", R"({"preferred": "topology.kubernetes.io/zone"})"},
      {R"({"network": {"disableAffinity": true}})", "{}"},
      {R"({"topology": {"preferred": "a/b"}})", R"({"preferred": "a/b"})"},
      {R"({"topology": {"required": "a/b"}})",
       R"({"required": "a/b", "preferred": "topology.kubernetes.io/zone"})"},
      {R"({"topology": {"required": "a/b"}, "network": {"disableAffinity": true}})",
       R"({"required": "a/b"})"},
      {R"({"topology": {"required": "a/b", "preferred": "c/d"},
           "jobLabels": {"kueue.x-k8s.io/queue-name": "lab"}})",
       R"({"kueue.x-k8s.io/podset-required-topology": "a/b"})"},
      {R"({"topology": {"preferred": "c/d"}, "jobLabels": {"kueue.x-k8s.io/queue-name": "lab"}})",
       R"({"kueue.x-k8s.io/podset-preferred-topology": "c/d"})"},
      {R"({"topology": {"preferred": "c/d"}, "jobLabels": {"kueue.x-k8s.io/queue-name": "lab"},
           "pod": {"annotations": {"kueue.x-k8s.io/podset-preferred-topology": "mine"}}})",
       R"({"kueue.x-k8s.io/podset-preferred-topology": "mine"})"},
  };
  for (const auto& row : kRows) {
    SCOPED_TRACE(row.spec);
    EXPECT_EQ(place(row.spec), json::parse(row.place));
  }
}

}  // namespace
}  // namespace mc::render
