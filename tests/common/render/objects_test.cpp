#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "common/api/model/names.h"
#include "common/render/render.h"
#include "tests/common/render/cases.h"

// Properties of the objects of every MiniCluster.
namespace mc::render {
namespace {

using test::by_name;
using test::cluster;
using test::shapes;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kCertificate = "curve\n    secret-key = \"not-for-everyone\"\n";

std::vector<json> objects(const api::MiniCluster& spec) { return render(spec, kCertificate); }

json find(const api::MiniCluster& spec, const std::string& kind, const std::string& name = "") {
  for (const json& object : objects(spec)) {
    if (object["kind"] == kind && (name.empty() || object["metadata"]["name"] == name)) {
      return object;
    }
  }
  return nullptr;
}

json pod_of(const api::MiniCluster& spec) { return find(spec, "Job")["spec"]["template"]; }

// Every container of a pod's spec, init containers first.
std::vector<json> containers_of(const json& pod_spec) {
  std::vector<json> out;
  for (const char* list : {"initContainers", "containers"}) {
    for (const json& container : pod_spec.value(list, json::array())) out.push_back(container);
  }
  return out;
}

std::vector<json> pod_specs(const api::MiniCluster& spec) {
  std::vector<json> out;
  for (const json& object : objects(spec)) {
    if (object["kind"] == "Pod") out.push_back(object["spec"]);
    if (object["kind"] == "Job") out.push_back(object["spec"]["template"]["spec"]);
  }
  return out;
}

std::set<std::string> volumes_mounted(const json& container) {
  std::set<std::string> out;
  for (const json& mount : container.value("volumeMounts", json::array())) {
    out.insert(mount["name"].get<std::string>());
  }
  return out;
}

// A pod of such a Job is made again with a ConfigMap of this version, if the one that it had is
// gone.
TEST(Objects, HaveTheFilesThatEveryJobOfThePreviousVersionMounts) {
  for (const bool batch : {false, true}) {
    api::MiniCluster spec = cluster();
    api::Container& runner = spec.spec.containers.at(0);
    runner.command.clear();
    runner.batch = batch;
    const json files = find(spec, "ConfigMap")["data"];
    for (const char* key :
         {"wait.sh", "common.sh", "settings.sh", "broker.toml", "hostlist", "environment.sh",
          "container-0.prefix.words", "container-0.submit.words", "container-0.options.words",
          batch ? "container-0.batch.sh" : "container-0.command.words"}) {
      EXPECT_TRUE(files.contains(key)) << key;
    }
  }
}

TEST(Objects, AreTheSameForTheSameMiniCluster) {
  for (const auto& [name, spec] : shapes()) EXPECT_EQ(objects(spec), objects(spec)) << name;
}

TEST(Objects, HaveOutlinesWithoutWhatOnlyACreationNeeds) {
  auto all = shapes();
  all.emplace_back("services", cluster()).second.spec.services = {test::sidecar("db", "postgres")};
  for (const auto& [name, spec] : all) {
    std::vector<json> wanted;
    for (json& object : objects(spec)) {
      const std::string kind = object["kind"];
      if (kind == "Secret") continue;
      if (kind == "ConfigMap") object.erase("data");
      if (kind == "Pod") object.erase("spec");
      if (kind == "Job") {
        object["spec"].erase("template");
        object["spec"].erase("podFailurePolicy");
      }
      wanted.push_back(std::move(object));
    }
    EXPECT_EQ(outlines(spec), wanted) << name;
  }
}

TEST(Objects, ComeInTheOrderOfCreation) {
  api::MiniCluster spec = cluster();
  spec.spec.containers.push_back(test::sidecar("web", "nginx"));
  spec.spec.containers[1].ports = {80, 443, 80};
  spec.spec.services = {test::sidecar("db", "postgres:16")};
  std::vector<std::string> kinds;
  for (const json& object : objects(spec)) {
    kinds.push_back(object["kind"].get<std::string>() + " " +
                    object["metadata"]["name"].get<std::string>());
  }
  EXPECT_THAT(kinds, ElementsAre("ConfigMap flux-sample-entrypoint-6f2a1c9e",
                                 "Secret flux-sample-curve-6f2a1c9e", "Service flux-sample",
                                 "Service web", "Pod flux-sample-services", "Job flux-sample"));
}

TEST(Objects, AreOwnedByTheMiniClusterAndLabelled) {
  for (const auto& [name, spec] : shapes()) {
    for (const json& object : objects(spec)) {
      SCOPED_TRACE(name + " " + object["kind"].get<std::string>());
      const json& metadata = object["metadata"];
      EXPECT_EQ(metadata["namespace"], "default");
      ASSERT_EQ(metadata["ownerReferences"].size(), 1U);
      EXPECT_EQ(metadata["ownerReferences"][0], json({{"apiVersion", "flux-framework.org/v1alpha2"},
                                                      {"kind", "MiniCluster"},
                                                      {"name", "flux-sample"},
                                                      {"uid", spec.uid},
                                                      {"controller", true},
                                                      {"blockOwnerDeletion", true}}));
      EXPECT_EQ(metadata["labels"]["app.kubernetes.io/managed-by"], "minicluster-operator");
      EXPECT_EQ(metadata["labels"]["flux-framework.org/minicluster"], "flux-sample");
    }
  }
}

TEST(Objects, HaveNoOwnerBeforeThereIsOne) {
  api::MiniCluster spec = cluster();
  spec.uid = "";
  spec.namespace_ = "";
  for (const json& object : objects(spec)) {
    EXPECT_FALSE(object["metadata"].contains("ownerReferences"));
    EXPECT_FALSE(object["metadata"].contains("namespace"));
  }
  EXPECT_EQ(find(spec, "ConfigMap")["metadata"]["name"], "flux-sample-entrypoint-00000000");
}

TEST(Objects, EveryShapeHasOneJobThatRunsFlux) {
  for (const auto& [name, spec] : shapes()) {
    SCOPED_TRACE(name);
    const json pod = pod_of(spec)["spec"];
    ASSERT_TRUE(pod.is_object());
    EXPECT_EQ(by_name(pod["containers"], "flux-sample")["command"],
              json({"/bin/sh", "/flux_operator/wait-0.sh"}));
    EXPECT_EQ(by_name(items_at(pod, {"initContainers"}), "flux-view").is_null(),
              spec.spec.flux.container.disable);
  }
}

TEST(Objects, NoSecretIsOutsideTheSecret) {
  for (auto [name, spec] : shapes()) {
    spec.spec.flux.curve_cert = kCertificate;
    for (const json& object : objects(spec)) {
      if (object["kind"] == "Secret") continue;
      EXPECT_THAT(object.dump(), Not(HasSubstr("not-for-everyone"))) << name;
    }
    const json secret = find(spec, "Secret");
    EXPECT_EQ(secret["stringData"], json({{"curve.cert", kCertificate}}));
    EXPECT_EQ(secret["immutable"], true);
  }
}

// The volumes of a pod that contain the certificate, or its private copy.
std::set<std::string> certificate_volumes(const json& pod, const std::string& secret) {
  std::set<std::string> out = {std::string(api::kCurveVolume)};
  for (const json& volume : pod.value("volumes", json::array())) {
    if (volume.dump().find(secret) != std::string::npos) out.insert(volume["name"]);
  }
  return out;
}

// For clusters with every kind of container, with the user's Secret or ours.
TEST(Objects, OnlyTheRunnerHasTheCertificate) {
  for (auto [name, spec] : shapes()) {
    spec.spec.containers.push_back(test::sidecar("wrapped", "a", "sleep 1"));
    spec.spec.containers.push_back(test::sidecar("native", "b"));
    spec.spec.services.push_back(test::sidecar("service", "c"));
    for (const std::string& own : {std::string(), std::string("my-curve")}) {
      SCOPED_TRACE(name + " " + own);
      spec.spec.flux.curve_cert_secret = own;
      const std::string secret = own.empty() ? "flux-sample-curve-6f2a1c9e" : own;
      std::set<std::string> holders;
      for (const json& pod : pod_specs(spec)) {
        const std::set<std::string> volumes = certificate_volumes(pod, secret);
        for (const json& container : containers_of(pod)) {
          EXPECT_EQ(container.value("env", json()).dump().find(secret), std::string::npos);
          for (const std::string& mounted : volumes_mounted(container)) {
            if (volumes.contains(mounted)) holders.insert(container["name"]);
          }
        }
      }
      EXPECT_THAT(holders, ElementsAre("flux-sample"));
    }
  }
}

TEST(Objects, TheUsersSecretTakesThePlaceOfOurs) {
  api::MiniCluster spec = cluster();
  spec.spec.flux.curve_cert_secret = "my-curve";
  EXPECT_TRUE(find(spec, "Secret").is_null());
  const json volume = by_name(pod_of(spec)["spec"]["volumes"], "flux-operator-runner");
  EXPECT_EQ(volume["projected"]["sources"][1], json::parse(R"({"secret": {"name": "my-curve",
      "items": [{"key": "curve.cert", "path": "curve.cert", "mode": 292}]}})"));
  for (const json& object : objects(spec)) {
    EXPECT_THAT(object.dump(), Not(HasSubstr("flux-sample-curve-")));
    EXPECT_THAT(object.dump(), Not(HasSubstr("not-for-everyone")));
  }
}

TEST(Objects, WhatAQueueAdmitsIsAFileWhereThatMayBeAPart) {
  const auto sources = [](const api::MiniCluster& spec) {
    return by_name(pod_of(spec)["spec"]["volumes"], "flux-operator-runner")["projected"]["sources"];
  };
  api::MiniCluster spec = cluster("hostname", 8);
  spec.spec.min_size = 2;
  EXPECT_EQ(sources(spec).size(), 2U) << "without a queue all come";
  spec.labels["kueue.x-k8s.io/queue-name"] = "team";
  ASSERT_EQ(sources(spec).size(), 3U);
  EXPECT_EQ(sources(spec)[2], json::parse(R"({"downwardAPI": {"items": [{
      "path": "admitted", "mode": 292,
      "fieldRef": {"fieldPath": "metadata.annotations['flux-framework.org/admitted']"}}]}})"));
  spec.spec.min_size = 8;
  EXPECT_EQ(sources(spec).size(), 2U) << "all or none";
}

TEST(Objects, EveryMountHasAVolumeAndEveryVolumeAMount) {
  for (const auto& [name, spec] : shapes()) {
    for (const json& pod : pod_specs(spec)) {
      std::set<std::string> volumes;
      std::set<std::string> mounted;
      for (const json& volume : pod.value("volumes", json::array())) {
        EXPECT_TRUE(volumes.insert(volume["name"].get<std::string>()).second) << name;
      }
      for (const json& container : containers_of(pod)) mounted.merge(volumes_mounted(container));
      // Without a sidecar and with the view, all our volumes are used; the others belong to the
      // user.
      EXPECT_TRUE(std::ranges::includes(volumes, mounted)) << name;
      EXPECT_EQ(volumes, mounted) << name;
    }
  }
}

TEST(Objects, MountsAreTheContainersOwn) {
  api::MiniCluster spec = cluster();
  spec.spec.containers.push_back(test::sidecar("one", "a", "sleep 1"));
  spec.spec.containers.push_back(test::sidecar("two", "b"));
  for (std::size_t i = 0; i < 3; ++i) {
    const std::string name = "data-" + std::to_string(i);
    spec.spec.containers[i].volumes[name] = test::host_path("/data", "/" + name);
  }
  const json pod = pod_of(spec)["spec"];
  for (const json& container : containers_of(pod)) {
    std::size_t own = 0;
    for (const std::string& mounted : volumes_mounted(container))
      own += mounted.starts_with("data-");
    EXPECT_EQ(own, container["name"] == "flux-view" ? 0U : 1U) << container["name"];
  }
}

TEST(Objects, NamesAreAtMost63LongWhenTheMiniClustersIsAllowed) {
  api::MiniCluster spec = cluster();
  spec.name = std::string(63 - std::string("-entrypoint-12345678").size(), 'n');
  spec.spec.network.headless_name = spec.name;
  spec.spec.services = {test::sidecar("db", "postgres:16")};
  for (const json& object : objects(spec)) {
    EXPECT_LE(object["metadata"]["name"].get<std::string>().size(), 63U);
    for (const auto& [key, value] : object["metadata"]["labels"].items()) {
      EXPECT_LE(value.get<std::string>().size(), 63U) << key;
    }
  }
  const json pod = pod_of(spec);
  for (const json& volume : pod["spec"]["volumes"]) {
    EXPECT_LE(volume["name"].get<std::string>().size(), 63U);
  }
}

TEST(Objects, ItemsNameKeysThatTheConfigMapHas) {
  for (const auto& [name, spec] : shapes()) {
    const json data = find(spec, "ConfigMap")["data"];
    const json pod = pod_of(spec);
    for (const json& volume : pod["spec"]["volumes"]) {
      if (!volume.contains("configMap")) continue;
      std::set<std::string> paths;
      std::set<std::string> keys;
      for (const json& item : volume["configMap"]["items"]) {
        keys.insert(item["key"].get<std::string>());
        EXPECT_TRUE(paths.insert(item["path"].get<std::string>()).second) << name << item;
      }
      for (const std::string& key : keys) EXPECT_TRUE(data.contains(key)) << name << " " << key;
      EXPECT_EQ(keys.size(), data.size()) << name;
    }
  }
}

TEST(Objects, RenderIsTotal) {
  EXPECT_NO_THROW(objects(api::MiniCluster{}));
  api::MiniCluster odd = cluster();
  odd.spec.containers.clear();
  EXPECT_NO_THROW(objects(odd));
  odd = cluster();
  odd.spec.containers.push_back(odd.spec.containers[0]);
  odd.spec.containers[1].volumes["flux-view"] = api::Volume{};
  odd.spec.containers[1].resources = 5;
  odd.spec.size = -3;
  odd.spec.pod.resources = "text";
  odd.spec.pod.runtime_class_name = "kata";
  odd.spec.pod.node_affinity = json::array({1});
  odd.spec.flux.bursting.lead_broker = api::LeadBroker{};
  odd.spec.flux.bursting.clusters = {{"", -1}};
  EXPECT_NO_THROW(objects(odd));
  for (const char* patch : {"5", "[]", R"({"spec": null})", R"({"spec": [1], "metadata": "x"})",
                            R"({"spec": {"containers": {"name": 1}, "volumes": [null]}})",
                            R"({"spec": {"containers": [{"name": "flux-sample", "env": 3}]}})"}) {
    odd.spec.pod.template_patch = json::parse(patch);
    EXPECT_NO_THROW(objects(odd)) << patch;
  }
}

}  // namespace
}  // namespace mc::render
