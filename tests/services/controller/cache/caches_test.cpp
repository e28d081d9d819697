#include "services/controller/cache/caches.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <utility>

#include "common/api/model/names.h"
#include "services/controller/cache/gather.h"
#include "services/controller/cache/watches.h"
#include "services/controller/cluster/read.h"

namespace mc::controller {
namespace {

json job(const char* version, const char* manager) {
  return {{"kind", "Job"},
          {"metadata",
           {{"name", "sample"},
            {"namespace", "lab"},
            {"uid", "job-uid"},
            {"resourceVersion", version},
            {"labels", {{"app.kubernetes.io/managed-by", manager}}}}}};
}

TEST(Caches, WhatWasWrittenIsKnownBeforeTheWatchTellsOfIt) {
  Caches caches;
  caches.learn(job("7", "minicluster-operator"));
  ASSERT_NE(caches.jobs.get("lab/sample"), nullptr);
}

TEST(Caches, OfAJobItIsKnownWhichPoliciesItHas) {
  Caches caches;
  json object = job("7", "minicluster-operator");
  object["spec"] = {{"successPolicy", {{"rules", json::array({{{"succeededIndexes", "0"}}})}}}};
  caches.learn(std::move(object));
  const Shared<Job> known = caches.jobs.get("lab/sample");
  ASSERT_NE(known, nullptr);
  EXPECT_TRUE(known->has_success_policy);
  EXPECT_FALSE(known->has_pod_failure_policy);
}

TEST(Caches, WhatTheWatchDoesNotSelectIsNotLearned) {
  Caches caches;
  caches.learn(job("7", "minicluster-operator"));
  caches.learn(job("9", "someone"));
  const Shared<Job> known = caches.jobs.get("lab/sample");
  ASSERT_NE(known, nullptr);
  EXPECT_EQ(known->metadata.version, 7U);
}

TEST(Caches, AWorkloadOfKueueBelongsToTheMiniClusterOfItsJob) {
  Caches caches;
  caches.clusters.stores().at("").learn(std::make_shared<const json>(
      json::parse(R"({"kind": "MiniCluster", "metadata": {"name": "sample", "namespace": "lab",
                      "uid": "cluster-uid", "resourceVersion": "1"}})")));
  json owned = job("7", "minicluster-operator");
  owned["metadata"]["ownerReferences"] =
      json::array({{{"kind", "MiniCluster"}, {"uid", "cluster-uid"}, {"controller", true}}});
  caches.learn(owned);
  const json workload = json::parse(R"({"kind": "Workload", "metadata": {
      "name": "job-sample-1", "namespace": "lab", "resourceVersion": "8", "ownerReferences": [
      {"kind": "Job", "name": "sample", "uid": "job-uid", "controller": true}]}})");
  caches.workloads.stores().at("").learn(std::make_shared<const json>(workload));
  EXPECT_EQ(cluster_key(caches, read_workload(workload)), "lab/sample");
  const auto seen = gather(caches, "lab/sample");
  ASSERT_TRUE(seen.has_value());
  EXPECT_EQ(seen->workloads.size(), 1U);
}

// Whoever may see a uid can refer to it from a namespace of their own.
TEST(Caches, WhatAnotherNamespaceSaysIsOwnedIsNot) {
  Caches caches;
  const auto put = [](auto& cache, const char* ns, json object) {
    object["metadata"]["namespace"] = ns;
    object["metadata"]["resourceVersion"] = "1";
    cache.stores().at("").learn(std::make_shared<const json>(std::move(object)));
  };
  const auto owned = [](const char* kind, const char* owner, const char* owner_uid,
                        const char* uid) -> json {
    const json reference = {
        {"apiVersion", owner == std::string("Job") ? "batch/v1" : api::kApiVersion},
        {"kind", owner},
        {"name", "sample"},
        {"uid", owner_uid},
        {"controller", true}};
    return {{"kind", kind},
            {"metadata",
             {{"name", "sample"}, {"uid", uid}, {"ownerReferences", json::array({reference})}}}};
  };
  put(caches.clusters, "lab",
      {{"kind", "MiniCluster"}, {"metadata", {{"name", "sample"}, {"uid", "cluster-uid"}}}});
  for (const char* ns : {"aaa", "lab"}) {
    put(caches.jobs, ns, owned("Job", "MiniCluster", "cluster-uid", ns));
    put(caches.services, ns, owned("Service", "MiniCluster", "cluster-uid", ns));
    put(caches.config_maps, ns, owned("ConfigMap", "MiniCluster", "cluster-uid", ns));
  }
  json pod = owned("Pod", "Job", "lab", "pod-uid");
  pod["spec"]["nodeName"] = "node-1";
  pod["status"] = {{"phase", "Failed"}};
  put(caches.pods, "aaa", pod);
  const auto seen = gather(caches, "lab/sample");
  ASSERT_TRUE(seen.has_value());
  ASSERT_EQ(seen->jobs.size(), 1U);
  EXPECT_EQ(seen->jobs[0]->metadata.ns, "lab");
  EXPECT_EQ(seen->services.size(), 1U);
  EXPECT_EQ(seen->config_maps.size(), 1U);
  EXPECT_TRUE(seen->pods.empty());
  EXPECT_TRUE(caches.job_pods.holding(owner_id("lab", "lab")).empty());
}

// Kubernetes deletes what an owner of a known kind does not own, and nothing else.
TEST(Caches, AnOwnerOfAnotherGroupIsNone) {
  const auto owner = [](const char* api_version) {
    return read_metadata({{"metadata",
                           {{"ownerReferences", json::array({{{"apiVersion", api_version},
                                                              {"kind", "MiniCluster"},
                                                              {"uid", "u"},
                                                              {"controller", true}}})}}}})
        .owner.uid;
  };
  EXPECT_EQ(owner("flux-framework.org/v1alpha2"), "u");
  EXPECT_EQ(owner("batch/v1"), "u");
  EXPECT_EQ(owner("example.com/v1"), "");
}

TEST(Caches, WhatANamespaceOffersIsNotWhatAnotherDoes) {
  const auto version = [](const Caches& caches, const std::string& ns) {
    return caches.gang(ns).of(api::GangKind::Volcano).api_version;
  };
  Caches listed({"hall", "lab"});
  listed.set_pod_groups("lab", api::GangKind::Volcano, {"v1", ""});
  listed.set_pod_groups("hall", api::GangKind::Volcano, {"", "refused"});
  EXPECT_EQ(version(listed, "lab"), "v1");
  EXPECT_EQ(version(listed, "hall"), "");
  Caches all;
  all.set_pod_groups("", api::GangKind::Volcano, {"v1", ""});
  EXPECT_EQ(version(all, "lab"), "v1");
}

TEST(Caches, EveryKindIsWatchedInEveryNamespaceByItself) {
  Caches caches({"hall", "lab"});
  std::set<std::pair<std::string, std::string>> scopes;
  std::set<kube::WatchedStore*> stores;
  for (const StoreWatch& watch : watches(caches)) {
    scopes.emplace(watch.scope.resource.kind, watch.scope.ns);
    stores.insert(watch.store);
  }
  EXPECT_EQ(scopes.size(), 14U) << "events are watched for two reasons";
  EXPECT_EQ(stores.size(), 16U);
  EXPECT_TRUE(scopes.contains({"Job", "lab"}));
  EXPECT_TRUE(scopes.contains({"MiniCluster", "hall"}));
}

TEST(Caches, WithoutNamespacesEveryKindIsWatchedOnceForAll) {
  Caches caches;
  const auto all = watches(caches);
  EXPECT_EQ(all.size(), 8U);
  for (const StoreWatch& watch : all) EXPECT_EQ(watch.scope.ns, "");
}

}  // namespace
}  // namespace mc::controller
