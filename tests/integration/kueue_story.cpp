#include "tests/integration/kueue_story.h"

namespace mc::test {

std::unique_ptr<KueueController> KueueStory::kueue_;

void KueueStory::SetUpTestSuite() {
  if (!has_kueue()) return;
  OnNodes::SetUpTestSuite();
  Stage& stage = Stage::get();
  kueue_ = std::make_unique<KueueController>(stage.kubectl());
  stage.restart_controller(stage.kubectl().kubeconfig(), {"-v", "1", "--kueue"});
}

void KueueStory::TearDownTestSuite() {
  if (!has_kueue()) return;
  kueue_.reset();
  Stage::get().without_controller();
  OnNodes::TearDownTestSuite();
}

void KueueStory::SetUp() {
  if (!has_kueue()) GTEST_SKIP() << "MINICLUSTER_KUEUE is not set";
}

void KueueStory::make_queue(int cpus, const json& spec) {
  json cluster_queue = {
      {"apiVersion", "kueue.x-k8s.io/v1beta2"},
      {"kind", "ClusterQueue"},
      {"metadata", {{"name", queue()}}},
      {"spec",
       {{"namespaceSelector", json::object()},
        {"resourceGroups",
         json::array(
             {{{"coveredResources", {"cpu"}},
               {"flavors",
                json::array({{{"name", "default"},
                              {"resources",
                               json::array({{{"name", "cpu"}, {"nominalQuota", cpus}}})}}})}}})}}}};
  cluster_queue["spec"].merge_patch(spec);
  create(cluster_queue);
  create({{"apiVersion", "kueue.x-k8s.io/v1beta2"},
          {"kind", "LocalQueue"},
          {"metadata", {{"name", "team"}}},
          {"spec", {{"clusterQueue", queue()}}}});
}

void KueueStory::stop_queue(const std::string& policy) {
  kubectl.must({"patch", "clusterqueue", queue(), "--type=merge", "-p",
                json({{"spec", {{"stopPolicy", policy}}}}).dump()});
}

json KueueStory::queued(const std::string& name, int size, const std::string& local_queue,
                        const json& spec) {
  json object = minicluster(name, spec);
  object["spec"]["size"] = size;
  object["spec"]["containers"][0]["resources"]["requests"]["cpu"] = "1";
  object["metadata"]["labels"]["kueue.x-k8s.io/queue-name"] = local_queue;
  return object;
}

std::string KueueStory::says(const std::string& name, const std::string& phase,
                             const std::string& why, std::chrono::seconds limit) {
  const std::vector<std::string> line = {
      "get", "minicluster", name, "-o",
      "jsonpath={.status.phase} {.status.conditions[?(@.type==\"Ready\")].reason}"};
  EXPECT_TRUE(eventually([&] { return kubectl(line).out == phase + " " + why; }, limit))
      << kubectl.get({"minicluster", name})["status"].dump(2)
      << kubectl({"get", "workloads", "-o", "yaml"}).out;
  return condition(kubectl, name, "Ready", why == "QuorumReached" ? "True" : "False").value_or("");
}

}  // namespace mc::test
