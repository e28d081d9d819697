#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>

#include "tests/pods/story.h"

// Brokers as any user, and who can read the certificate.
namespace mc::pods {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

struct Security {
  std::string name;
  json pod, container;
};

void PrintTo(const Security& security, std::ostream* out) { *out << security.name; }

const Security kSecurities[] = {
    {"Root", nullptr, nullptr},
    {"RootWithFsGroup", {{"fsGroup", 2000}}, nullptr},
    {"AnyUser", {{"runAsUser", 1234}}, nullptr},
    {"AnyUserAndGroup", {{"runAsUser", 1234}, {"runAsGroup", 1234}}, nullptr},
    {"AnyUserWithFsGroup", {{"runAsUser", 1234}, {"fsGroup", 2000}}, nullptr},
    {"OnlyTheRunnersUser", nullptr, {{"runAsUser", 1234}, {"runAsGroup", 99}}},
    {"ReadOnlyRoot", nullptr, {{"readOnlyRootFilesystem", true}}},
    {"RootWithoutCapabilities", nullptr, {{"capabilities", {{"drop", {"ALL"}}}}}},
    {"Restricted",
     {{"runAsUser", 1234},
      {"runAsGroup", 1234},
      {"fsGroup", 1234},
      {"runAsNonRoot", true},
      {"seccompProfile", {{"type", "RuntimeDefault"}}}},
     {{"allowPrivilegeEscalation", false},
      {"readOnlyRootFilesystem", true},
      {"capabilities", {{"drop", {"ALL"}}}}}}};

const Security& named(const std::string& name) {
  return *std::ranges::find(kSecurities, name, &Security::name);
}

class Users : public WithFlux, public ::testing::WithParamInterface<Security> {};
INSTANTIATE_TEST_SUITE_P(Pods, Users, ::testing::ValuesIn(kSecurities),
                         [](const auto& kind) { return kind.param.name; });

api::MiniCluster with(const Security& security, const std::string& command) {
  api::MiniCluster out = minicluster(command, 2);
  out.spec.pod.security_context = security.pod;
  for (api::Container& container : out.spec.containers) {
    container.security_context = security.container;
  }
  // The restricted profile requires it of every container.
  if (security.name == "Restricted") out.spec.flux.container.security_context = security.container;
  return out;
}

TEST_P(Users, FormAClusterOfTheirOwnCertificateThatNoSidecarCanRead) {
  Node node;
  api::MiniCluster cluster =
      with(GetParam(),
           "sh -c 'stat -L -c certificate=%a /mnt/flux/config/curve/curve.cert; exec sleep 60'");
  cluster.spec.containers.push_back(test::sidecar("helper", "ubuntu", "sleep 60"));
  cluster.spec.containers[1].security_context = GetParam().container;
  Pods pods(node, cluster);
  pods.start_all();
  ASSERT_TRUE(node.until([&] { return count(pods.log(0), "\ncertificate=400\n") == 2; }))
      << pods.logs();
  const std::string everything =
      "cat $(find /mnt/flux /flux_operator /proc/*/root -maxdepth 5"
      " -name curve.cert 2>/dev/null) </dev/null";
  const test::Outcome helper =
      pods.pod(0).container("helper").exec({"sh", "-c", everything + "; ls -d /flux_operator"});
  EXPECT_EQ(helper.out, "/flux_operator\n") << helper.err;
  const test::Outcome runner = pods.runner(0).exec({"sh", "-c", everything});
  EXPECT_THAT(runner.out, HasSubstr("secret-key")) << "the search finds it where it is";
  EXPECT_THAT(pods.logs(), Not(HasSubstr("secret-key")));
}

// A batch job writes files. Each takes seconds, so only the users with the most and the fewest
// rights and one with a group of the volumes.
class BatchUsers : public Users {};
INSTANTIATE_TEST_SUITE_P(Pods, BatchUsers,
                         ::testing::Values(named("Root"), named("AnyUserWithFsGroup"),
                                           named("Restricted")),
                         [](const auto& kind) { return kind.param.name; });

TEST_P(BatchUsers, RunBatchJobs) {
  Node node;
  api::MiniCluster cluster = with(GetParam(), "echo one\necho two");
  cluster.spec.tasks = 1;
  api::Container& runner = cluster.spec.containers[0];
  runner.batch = true;
  runner.logs = "/logs";
  runner.volumes["logs"] = test::empty_dir("/logs");
  runner.commands.post = "cat /logs/job-*.out";
  Pods pods(node, cluster);
  ASSERT_TRUE(end_with(pods, {0}));
  // On whichever node Flux has chosen.
  EXPECT_THAT(pods.log(0) + pods.log(1), HasSubstr("\none\ntwo\n"));
}

}  // namespace
}  // namespace mc::pods
