#include <algorithm>
#include <chrono>
#include <functional>
#include <iostream>
#include <iterator>

#include "e2e/stories/installation.h"
#include "e2e/stories/pod_story.h"
#include "tests/support/folders.h"
#include "tests/support/helm.h"

// What administrators and users see after `helm install`.
namespace mc::e2e {
namespace {

using ::testing::HasSubstr;

class Install : public PodStory {
 protected:
  static void upgrade_to(const std::string& chart, const std::vector<std::string>& more = {}) {
    std::vector<std::string> upgrade = {"upgrade", test::kRelease, chart, "--wait",
                                        "--timeout=80s"};
    std::ranges::copy(Installation::get().values(chart), std::back_inserter(upgrade));
    std::ranges::copy(more, std::back_inserter(upgrade));
    test::must_helm(upgrade);
  }

  // What `make manifest` writes, with the values of the installation.
  static std::string manifest() {
    std::vector<std::string> write = {test::source_dir() / "release/manifest.sh"};
    std::ranges::copy(Installation::get().values(Installation::get().chart()),
                      std::back_inserter(write));
    return test::must_run(write);
  }

  void expect_rolled_out() const {
    for (const std::string name : {"webhook", "controller"}) {
      const std::string deployment = "deployment/" + std::string(test::kRelease) + "-" + name;
      const Outcome outcome =
          release({"rollout", "status", "--timeout=80s", deployment}, "", std::chrono::seconds(90));
      EXPECT_EQ(outcome.code, 0) << outcome.err << release({"get", "pods,events"}).out;
    }
  }

  // Expects that a running MiniCluster keeps its pods during `change`, and that no admission fails.
  void expect_nothing_is_lost(const std::function<void()>& change) {
    apply(minicluster("stays", 2, "", {{"interactive", true}}));
    ASSERT_TRUE(reaches("stays", "Ready"));
    const json before = pod("stays", 0);
    Installation::get().expect_clean_logs();
    const AdmissionLoad::Dense dense(Installation::get().load());
    const std::size_t failed = Installation::get().load().counts().failed.size();
    change();
    EXPECT_EQ(pod("stays", 0).at("metadata").at("uid"), before.at("metadata").at("uid"));
    EXPECT_EQ(Installation::get().load().counts().failed.size(), failed);
  }

  // The ConfigMap with the scripts of a MiniCluster; null if there is none.
  json scripts(const std::string& name) const {
    for (const json& item : kubectl.items({"configmaps"})) {
      if (name_of(item).starts_with(name + "-entrypoint-")) return item;
    }
    return {};
  }

  // Expects that a Job of an earlier version goes on with the scripts of this one, when its
  // ConfigMap was deleted and its pods were killed. All pods: a kubelet serves an immutable
  // ConfigMap from its memory as long as one of them has it.
  void expect_it_starts_again_with_new_scripts(const std::string& name) const {
    const json before = scripts(name);
    ASSERT_TRUE(before.is_object()) << everything();
    const json lead = pod(name, 0);
    kubectl.must({"delete", "configmap", name_of(before)});
    json now;
    ASSERT_TRUE(test::eventually([&] { return is_other(now = scripts(name), before); }))
        << everything();
    kubectl.must({"delete", "pods", "-l", "job-name=" + name, "--grace-period=0", "--force"});
    // The Job creates the next pods after a pause.
    ASSERT_TRUE(test::eventually(
        [&] {
          const json next = pod(name, 0);
          return is_other(next, lead) && next.at("status").value("phase", "") == "Running";
        },
        std::chrono::seconds(90)))
        << everything();
    flux_answers(name, "flux resource list -s up -n -o 'there are {nnodes}'", "there are 2");
    EXPECT_EQ(exec(name, 0, "cat /flux_operator/common.sh").out,
              now.at("data").at("common.sh").get<std::string>());
    EXPECT_TRUE(reaches(name, "Ready"));
  }

  const test::Kubectl& release = Installation::get().kubectl();

 private:
  static std::string name_of(const json& object) { return object.at("metadata").at("name"); }
  static bool is_other(const json& object, const json& before) {
    return object.is_object() && object.at("metadata").at("uid") != before.at("metadata").at("uid");
  }
};

TEST_F(Install, FirstAdmissionComesWithinTwentySeconds) {
  const auto took = Installation::get().first_admission();
  if (!took) return;  // it was installed before
  std::cout << "from helm install to the first admission: " << took->count() << " s" << std::endl;
  EXPECT_LT(took->count(), 20);
}

TEST_F(Install, HelmTestPasses) {
  const Outcome outcome = test::helm({"test", test::kRelease, "--timeout=50s"});
  EXPECT_EQ(outcome.code, 0)
      << outcome.out << outcome.err
      << release({"describe", "pod", "-l", "app.kubernetes.io/component=test"}).out;
  EXPECT_THAT(outcome.out, HasSubstr("Succeeded"));
}

TEST_F(Install, WebhookPodHoldsNoCredentials) {
  const json pods = release.get({"pods", "-l", "app.kubernetes.io/component=webhook"});
  ASSERT_EQ(pods.at("items").size(), 2);
  for (const json& pod : pods.at("items")) {
    const json& volumes = pod.at("spec").at("volumes");
    ASSERT_EQ(volumes.size(), 2) << volumes.dump(2);
    EXPECT_EQ(volumes.at(0).at("name"), "certificate");
    EXPECT_EQ(volumes.at(1).at("configMap").at("name"), "minicluster-limits");
  }
}

TEST_F(Install, RollingUpdateOfBothLosesNoAdmission) {
  const AdmissionLoad::Dense dense(Installation::get().load());
  const std::size_t before = Installation::get().load().counts().failed.size();
  Installation::get().expect_clean_logs();
  for (const std::string name : {"webhook", "controller"})
    release.must({"rollout", "restart", "deployment/" + std::string(test::kRelease) + "-" + name});
  expect_rolled_out();
  apply(minicluster("after", 2, "hostname"));
  EXPECT_TRUE(reaches("after", "Complete"));
  EXPECT_EQ(Installation::get().load().counts().failed.size(), before);
}

TEST_F(Install, DeletedCertificateIsMadeAnewWithinSeconds) {
  const std::string name = std::string(test::kRelease) + "-webhook-certificate";
  const json before = release.get({"secret", name});
  release.must({"delete", "secret", name});
  EXPECT_TRUE(test::eventually(
      [&] {
        const json now = release.get({"secret", name});
        return now.is_object() && now.at("metadata").at("uid") != before.at("metadata").at("uid");
      },
      std::chrono::seconds(5)));
}

// Changes a value, so that the pods of both programs are replaced.
TEST_F(Install, UpgradeAndRollbackLoseNoAdmissionAndNoMiniCluster) {
  expect_nothing_is_lost([&] {
    upgrade_to(Installation::get().chart(), {"--set=webhook.verbosity=2"});
    test::must_helm({"rollback", test::kRelease, "--wait", "--timeout=80s"});
  });
}

// Programs, CustomResourceDefinition and chart as released. Each version continues with the objects
// of the other one; a pod that the older one's Job starts again may have the newer one's scripts.
TEST_F(Install, DowngradeByOneMinorVersionAndUpgradeLoseNoAdmissionAndNoMiniCluster) {
  expect_nothing_is_lost([&] {
    upgrade_to(Installation::get().previous_chart());
    apply(minicluster("of-the-older", 2, "", {{"interactive", true}}));
    ASSERT_TRUE(reaches("of-the-older", "Ready"));
    const json before = pod("of-the-older", 0);
    upgrade_to(Installation::get().chart());
    apply(minicluster("of-the-newer", 2, "hostname"));
    EXPECT_TRUE(reaches("of-the-newer", "Complete"));
    EXPECT_EQ(pod("of-the-older", 0).at("metadata").at("uid"), before.at("metadata").at("uid"));
    expect_it_starts_again_with_new_scripts("of-the-older");
  });
}

// At the end the release is there again, for the other stories.
TEST_F(Install, KubectlInstallsItFromOneManifestAndHelmTakesOverWhatKubectlApplied) {
  const AdmissionLoad::Pause pause(Installation::get().load());
  Installation::get().expect_clean_logs();
  const std::string everything_of_it = manifest();
  test::must_helm({"uninstall", test::kRelease, "--wait"});
  EXPECT_TRUE(release.items({"deployments"}).empty());
  release.must({"apply", "--server-side", "-f", "-"}, everything_of_it);
  expect_rolled_out();
  const std::string object = minicluster("without-helm", 2, "hostname").dump();
  EXPECT_TRUE(test::eventually([&] { return kubectl({"apply", "-f", "-"}, object).code == 0; },
                               std::chrono::seconds(30)));
  EXPECT_TRUE(reaches("without-helm", "Complete"));
  Installation::get().expect_clean_logs();

  const std::string chart = Installation::get().chart();
  std::vector<std::string> install = {"install",          test::kRelease, chart,
                                      "--take-ownership", "--wait",       "--timeout=80s"};
  std::ranges::copy(Installation::get().values(chart), std::back_inserter(install));
  test::must_helm(install);
  EXPECT_NE(kubectl.get({"minicluster", "without-helm"}), json());
}

}  // namespace
}  // namespace mc::e2e
