#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "tests/integration/story.h"
#include "tests/support/metrics.h"

// A controller for a list of namespaces, with permissions only in these.
namespace mc::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kHome = "@HOME@";

// The controller's permissions in each of its namespaces.
constexpr const char* kRights = R"(
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: controller}
rules:
- {apiGroups: [flux-framework.org], resources: [miniclusters], verbs: [list, watch, patch, delete]}
- {apiGroups: [flux-framework.org], resources: [miniclusters/status], verbs: [patch]}
- {apiGroups: [flux-framework.org], resources: [miniclusters/finalizers], verbs: [update]}
- {apiGroups: [batch], resources: [jobs], verbs: [get, list, watch, create, patch, delete]}
- apiGroups: [""]
  resources: [configmaps, services, pods]
  verbs: [get, list, watch, create, patch, delete]
- {apiGroups: [""], resources: [secrets], verbs: [create]}
- {apiGroups: [""], resources: [events], verbs: [get, list, watch, create, patch]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: controller}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: controller}
subjects: [{kind: ServiceAccount, name: controller, namespace: @HOME@}]
)";

// For spec.podDisruptionBudget.
constexpr const char* kRightsOnBudgets = R"(
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: controller-budgets}
rules:
- apiGroups: [policy]
  resources: [poddisruptionbudgets]
  verbs: [get, list, watch, create, patch, delete]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: controller-budgets}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: controller-budgets}
subjects: [{kind: ServiceAccount, name: controller, namespace: @HOME@}]
)";

// Additional permissions in the namespace of its Lease.
constexpr const char* kRightsOnLease = R"(
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: controller-lease}
rules:
- {apiGroups: [coordination.k8s.io], resources: [leases], verbs: [get, create, update]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: controller-lease}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: controller-lease}
subjects: [{kind: ServiceAccount, name: controller}]
)";

class Namespaces : public Story {
 protected:
  static void SetUpTestSuite() { Stage::get().without_services(); }

  void SetUp() override {
    first.must({"create", "serviceaccount", "controller"});
    for (const Kubectl* there : {&first, &second}) grant(*there, kRights);
    first.must({"apply", "-f", "-"}, kRightsOnLease);
    first.write_kubeconfig_of("controller", kubeconfig());
  }

  void TearDown() override { std::filesystem::remove(kubeconfig()); }

  std::string home() const { return first.namespace_name(); }
  std::string account() const { return "system:serviceaccount:" + home() + ":controller"; }
  std::filesystem::path kubeconfig() const {
    return kubectl.control_plane() / ("kubeconfig-" + home());
  }

  void grant(const Kubectl& where, std::string rights) const {
    rights.replace(rights.find(kHome), kHome.size(), home());
    where.must({"apply", "-f", "-"}, rights);
  }

  static void make(const Kubectl& where) {
    where.must({"create", "-f", "-"}, minicluster("sample").dump());
  }

  const Kubectl& first = kubectl;
  Namespace second_{Stage::get().kubectl()}, third_{Stage::get().kubectl()};
  const Kubectl& second = second_.kubectl();
  const Kubectl& third = third_.kubectl();
};

TEST_F(Namespaces, TwoOfThreeAreWorkedInWithRightsInTheTwoOnly) {
  EXPECT_THAT(first({"auth", "can-i", "list", "jobs", "--all-namespaces", "--as=" + account()}).out,
              HasSubstr("no"));
  for (const Kubectl* where : {&first, &second}) grant(*where, kRightsOnBudgets);
  for (const Kubectl* where : {&first, &second, &third}) make(*where);
  for (const Kubectl* where : {&first, &second}) Stage::get().wait_until_owning(account(), *where);
  Service controller({controller_program(), "--kubeconfig", kubeconfig(), "-v", "2", "--namespaces",
                      home() + "," + second.namespace_name(), "--leader-elect",
                      "--leader-election-namespace", home()});
  ASSERT_TRUE(controller.wait_until_ready());

  for (const Kubectl* where : {&first, &second}) {
    ASSERT_TRUE(has_condition(*where, "sample", "ObjectsReady", "True")) << controller.end_of_log();
    where->must({"delete", "service", "sample"});
    EXPECT_TRUE(eventually([&] { return owned(*where, "sample").contains("Service/sample"); }));
  }
  EXPECT_TRUE(owned(third, "sample").empty());
  EXPECT_TRUE(is_untouched(third.get({"minicluster", "sample"})));
  EXPECT_THAT(controller.get("/metrics").value_or(""), Not(HasSubstr("code=\"403\"")));
  EXPECT_THAT(controller.log(), Not(HasSubstr(third.namespace_name())));
  EXPECT_THAT(controller.log(), HasSubstr("FluxSetups have no effect"));
  controller.stop();
}

// Its RoleBinding goes with it. Who may delete one namespace cannot stop the work in the others.
TEST_F(Namespaces, ADeletedOneDoesNotStopTheOthers) {
  make(first);
  Stage::get().wait_until_owning(account(), first);
  second.must({"delete", "rolebinding", "controller"});
  Service controller({controller_program(), "--kubeconfig", kubeconfig(), "--namespaces",
                      home() + "," + second.namespace_name(), "--leader-elect",
                      "--leader-election-namespace", home()});
  ASSERT_TRUE(controller.wait_until_ready()) << controller.end_of_log();
  ASSERT_TRUE(has_condition(first, "sample", "ObjectsReady", "True")) << controller.end_of_log();
  EXPECT_TRUE(eventually([&] {
    return sum_of(controller.get("/metrics").value_or(""), "minicluster_watches_failing",
                  "kind=\"MiniCluster\"") == 1;
  }));
  make(second);
  grant(second, kRights);
  const auto is_done = [&] {
    return condition(second, "sample", "ObjectsReady", "True").has_value();
  };
  EXPECT_TRUE(eventually(is_done) || eventually(is_done)) << controller.end_of_log();
  EXPECT_TRUE(eventually([&] {
    return sum_of(controller.get("/metrics").value_or(""), "minicluster_watches_failing") == 0;
  }));
  controller.stop();
}

// As after an upgrade to a version that lacks a right: an old replica goes on.
TEST_F(Namespaces, OneThatCannotWorkLeavesTheLeaseToOneThatCan) {
  Stage::get().wait_until_owning(account(), first);
  const auto start = [&](const std::string& ns) {
    return std::make_unique<Service>(
        std::vector<std::string>{controller_program(), "--kubeconfig", kubeconfig(), "--namespaces",
                                 ns, "--leader-elect", "--leader-election-namespace", home()});
  };
  const auto leads = [](Service& one) {
    return sum_of(one.get("/metrics").value_or(""), "leader_election_master_status") == 1;
  };
  const auto unable = start(third.namespace_name()), able = start(home());
  EXPECT_TRUE(eventually([&] { return leads(*able); })) << unable->end_of_log();
  EXPECT_FALSE(leads(*unable));
  able->stop();
  unable->stop();
}

// As after an upgrade where an administrator maintains the rights (rbac.create=false).
TEST_F(Namespaces, WithoutTheRightsOnPodDisruptionBudgetsOnlyTheseAreMissing) {
  make(first);
  json kept = minicluster("kept");
  kept["spec"]["podDisruptionBudget"]["enabled"] = true;
  first.must({"create", "-f", "-"}, kept.dump());
  Stage::get().wait_until_owning(account(), first);
  Service controller({controller_program(), "--kubeconfig", kubeconfig(), "--namespaces", home()});
  ASSERT_TRUE(controller.wait_until_ready());
  ASSERT_TRUE(has_condition(first, "sample", "ObjectsReady", "True")) << controller.end_of_log();
  ASSERT_TRUE(has_condition(first, "kept", "ObjectsReady", "False")) << controller.end_of_log();
  const json told = first.get({"minicluster", "kept"});
  EXPECT_THAT(told.dump(), HasSubstr("cannot create resource"));
  EXPECT_TRUE(owned(first, "kept").contains("Job/kept"));
  grant(first, kRightsOnBudgets);
  EXPECT_TRUE(eventually([&] { return first.get({"poddisruptionbudget", "kept"}).is_object(); },
                         std::chrono::seconds(90)))
      << controller.end_of_log();
  EXPECT_TRUE(has_condition(first, "kept", "ObjectsReady", "True"));
  controller.stop();
}

}  // namespace
}  // namespace mc::test
