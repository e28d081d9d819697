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
  out.pod_group = {api::kind_of_version(version), version};
  return out;
}

TEST(PodGroup, IsInTheFormOfItsVersion) {
  EXPECT_TRUE(pod_group(in_version("{}", "")).is_null());
  const char* spec = R"({"topology": {"required": "example.com/rack"},
                         "pod": {"template": {"spec": {"priorityClassName": "high"}}}})";
  EXPECT_EQ(pod_group(in_version(spec, "scheduling.k8s.io/v1beta1"))["spec"], json::parse(R"({
      "schedulingPolicy": {"gang": {"minCount": 4}}, "disruptionMode": {"all": {}},
      "schedulingConstraints": {"topology": [{"key": "example.com/rack"}]},
      "priorityClassName": "high"})"));
  const json older = pod_group(in_version("{}", "scheduling.k8s.io/v1alpha2"));
  EXPECT_EQ(older["apiVersion"], "scheduling.k8s.io/v1alpha2");
  EXPECT_EQ(older["spec"]["disruptionMode"], "PodGroup");
}

TEST(PodGroup, OfOtherSchedulersHasTheirFields) {
  const char* spec = R"({"topology": {"required": "example.com/rack"},
      "containers": [{"image": "ubuntu:noble", "resources": {"requests": {"cpu": "500m"}}}],
      "pod": {"annotations": {"scheduling.volcano.sh/queue-name": "lab"},
              "template": {"spec": {"priorityClassName": "high"}}}})";
  EXPECT_EQ(pod_group(in_version(spec, "scheduling.x-k8s.io/v1alpha1"))["spec"],
            json::parse(R"({"minMember": 4, "minResources": {"cpu": "2"}})"));
  EXPECT_EQ(pod_group(in_version(spec, "scheduling.volcano.sh/v1beta1"), 3)["spec"],
            json::parse(R"({"minMember": 3, "minResources": {"cpu": "1500m"}, "queue": "lab",
                "priorityClassName": "high",
                "networkTopology": {"mode": "hard", "highestTierName": "example.com/rack"}})"));
  EXPECT_EQ(pod_group(in_version("{}", "scheduling.x-k8s.io/v1alpha1"))["spec"],
            json::parse(R"({"minMember": 4})"))
      << "no requests";
}

TEST(PodGroup, ThePodsNameItAsTheirSchedulerReadsIt) {
  const auto pod = [](const char* spec, const char* version) {
    return job(in_version(spec, version))["spec"]["template"];
  };
  const json native = pod("{}", "scheduling.k8s.io/v1beta1");
  EXPECT_EQ(native["spec"]["schedulingGroup"]["podGroupName"], "sample");
  EXPECT_FALSE(native["spec"].contains("schedulerName"));
  const json plugin = pod("{}", "scheduling.x-k8s.io/v1alpha1");
  EXPECT_EQ(plugin["metadata"]["labels"]["scheduling.x-k8s.io/pod-group"], "sample");
  EXPECT_EQ(plugin["spec"]["schedulerName"], "scheduler-plugins-scheduler");
  EXPECT_FALSE(plugin["spec"].contains("schedulingGroup"));
  const json volcano = pod("{}", "scheduling.volcano.sh/v1beta1");
  EXPECT_EQ(volcano["metadata"]["annotations"]["scheduling.k8s.io/group-name"], "sample");
  EXPECT_EQ(volcano["spec"]["schedulerName"], "volcano");
  EXPECT_EQ(pod(R"({"pod": {"schedulerName": "mine"}})",
                "scheduling.volcano.sh/v1beta1")["spec"]["schedulerName"],
            "mine");
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
