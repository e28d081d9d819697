#include <chrono>
#include <filesystem>
#include <iostream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "e2e/stories/admission_load.h"
#include "e2e/stories/installation.h"
#include "e2e/stories/pod_story.h"
#include "e2e/stories/workers.h"
#include "tests/support/helm.h"

// The operator on two nodes, and one of them is lost. Left out of `make e2e`.
namespace mc::e2e {
namespace {

using namespace std::chrono_literals;

class OperatorNodes : public PodStory {
 protected:
  static void SetUpTestSuite() {
    std::vector<std::string> images = {"pause"};
    const std::filesystem::path chart = Installation::get().chart();
    for (const auto& file : std::filesystem::directory_iterator(chart.parent_path())) {
      if (file.path().string().ends_with(".oci.tar"))
        images.push_back((file.path().parent_path() / file.path().stem()).string());
    }
    workers_.emplace(Installation::get().kubectl(), 1, images);
  }
  static void TearDownTestSuite() { workers_.reset(); }

  static std::string deployment(const std::string& component) {
    return "deployment/" + std::string(test::kRelease) + "-" + component;
  }
  void roll_out(const std::string& component) const {
    const Outcome outcome =
        release({"rollout", "status", "--timeout=80s", deployment(component)}, "", 90s);
    EXPECT_EQ(outcome.code, 0) << outcome.err << release({"get", "pods,events"}).out;
  }

  // The name of the component's pod on `node`, or an empty one. A pod that is being deleted does
  // not count.
  std::string pod_on(const std::string& node, const std::string& component) const {
    const std::string selector = "app.kubernetes.io/component=" + component;
    for (const json& pod : release.items({"pods", "-l", selector})) {
      if (pod.at("spec").value("nodeName", "") == node &&
          !pod.at("metadata").contains("deletionTimestamp"))
        return pod.at("metadata").at("name");
    }
    return "";
  }
  bool are_spread(const std::string& component) const {
    return !pod_on("node0", component).empty() && !pod_on("node1", component).empty();
  }

  bool leads(const std::string& pod) const {
    const json lease = release.get({"lease", "minicluster-controller"});
    return lease.is_object() && lease.at("spec").value("holderIdentity", "").starts_with(pod + "_");
  }

  // Its pods are on node0, which has their images.
  static json here(const std::string& name) {
    return minicluster(name, 2, "hostname",
                       {{"pod", {{"nodeSelector", {{"kubernetes.io/hostname", "node0"}}}}}});
  }

  const test::Kubectl& release = Installation::get().kubectl();
  inline static std::optional<Workers> workers_;
};

// Also the node of one of the two webhooks: until the API server knows of it, about every second
// admission waits for a webhook that does not answer, and fails.
TEST_F(OperatorNodes, SlowOnTheLossOfTheLeadersNodeTheOtherControllerAndWebhookTakeOver) {
  const AdmissionLoad::Pause pause(Installation::get().load());
  for (const std::string component : {"webhook", "controller"}) {
    release.must({"rollout", "restart", deployment(component)});
    roll_out(component);
    ASSERT_TRUE(test::eventually([&] { return are_spread(component); }, 60s));
  }
  // The pod that replaces a leader may lead before the one on node1 does.
  ASSERT_TRUE(test::eventually(
      [&] {
        if (leads(pod_on("node1", "controller"))) return true;
        const std::string first = pod_on("node0", "controller");
        if (leads(first)) release.must({"delete", "pod", first});
        return false;
      },
      90s));
  roll_out("controller");

  const std::string other = pod_on("node0", "controller");
  apply(here("before"));
  workers_->cut("node1");
  const test::Stopwatch lost;
  EXPECT_TRUE(test::eventually([&] { return leads(other); }, 60s));
  std::cout << "another controller leads after " << lost.seconds() << " s" << std::endl;
  int failed = 0;
  const std::string after = here("after").dump();
  EXPECT_TRUE(test::eventually(
      [&] {
        const bool admitted = kubectl({"apply", "-f", "-"}, after).code == 0;
        failed += admitted ? 0 : 1;
        return admitted;
      },
      120s));
  std::cout << "admitted after " << lost.seconds() << " s and " << failed << " failures"
            << std::endl;
  EXPECT_TRUE(reaches("before", "Complete"));
  EXPECT_TRUE(reaches("after", "Complete"));
  workers_->join("node1");
  for (const std::string component : {"webhook", "controller"}) {
    release.must({"delete", "pod", "--force", pod_on("node1", component)});
    roll_out(component);
  }
}

}  // namespace
}  // namespace mc::e2e
