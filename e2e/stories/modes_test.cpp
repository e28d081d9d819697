#include "e2e/stories/pod_story.h"
#include "tests/support/folders.h"
#include "tests/support/plugin.h"

// A MiniCluster over CURVE in each mode, on a real node.
namespace mc::e2e {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class Modes : public PodStory {};

// With Flux from the view, as for most users' images, and with Flux in the image.
class ModesWith : public PodStory, public ::testing::WithParamInterface<Flux> {};
INSTANTIATE_TEST_SUITE_P(Flux, ModesWith, kBothFluxes, name_of);

TEST_P(ModesWith, FourPodsRunOneCommandOnFourRanks) {
  apply(minicluster("four", 4, "hostname", {{"tasks", 4}}, GetParam()));
  ASSERT_TRUE(reaches("four", "Complete"));
  const std::string lead = log("four", 0);
  for (int i = 0; i < 4; ++i) EXPECT_THAT(lead, HasSubstr("\nfour-" + std::to_string(i)));
  // Complete follows from the lead's success; the other pods end after it.
  EXPECT_EQ(kubectl.get({"minicluster", "four"}).at("status").at("phase"), "Succeeded");
  EXPECT_TRUE(test::eventually([&] {
    const json list = kubectl.get({"pods", "--field-selector=status.phase=Running"});
    return list.is_object() && list.at("items").empty();
  })) << everything();
}

TEST_P(ModesWith, BatchRunsEachLineAsAJobAndItsLogHasTheirOutputs) {
  json cluster = minicluster("batch", 4,
                             "echo the first\n"
                             "sh -c 'echo lost atom 3; echo why >&2; exit 7'\n"
                             "-N4 hostname\n",
                             {{"tasks", 4}}, GetParam());
  container(cluster)["batch"] = true;
  container(cluster)["commands"]["post"] = "cat /tmp/fluxout/job-0.out; true";
  apply(cluster);
  ASSERT_TRUE(reaches("batch", "Failed"));
  EXPECT_THAT(reason("batch", "Failed"),
              AllOf(HasSubstr("CommandFailed: The command ended with code 7: "),
                    HasSubstr("job-1: lost atom 3\n"), HasSubstr("job-1: why\n")))
      << everything();
  const test::Plugin plugin(kubectl);
  const Outcome logs = plugin({"logs", "batch"});
  EXPECT_EQ(logs.code, 0) << logs.err;
  EXPECT_THAT(logs.out, HasSubstr("NTASKS"));
  // In order, but lines of the standard error, as job-1's, may be between them.
  EXPECT_THAT(logs.out, HasSubstr("\njob-0: the first\n"));
  EXPECT_LT(logs.out.find("\njob-0: the first\n"), logs.out.find("\njob-2: batch-"));
  EXPECT_EQ(test::count(logs.out, "\njob-2: batch-"), 4) << logs.out;
  EXPECT_LT(logs.out.rfind("\njob-2: "), logs.out.find("\njob-1: lost atom 3\n"));
  EXPECT_THAT(logs.out, HasSubstr("\nthe first\n")) << "the file is on the lead";
}

const json kGreeter = {{"name", "greeter"},
                       {"image", kApplicationImage},
                       {"ports", {7070}},
                       {"command", R"(perl -MIO::Socket::INET -e '
         $s = IO::Socket::INET->new(LocalPort => 7070, Listen => 9, ReuseAddr => 1) or die $!;
         while ($c = $s->accept) { print $c "greetings\n"; close $c }')"}};

TEST_F(Modes, SidecarWithPortsIsFoundByTheNameOfItsService) {
  json cluster = minicluster(
      "beside", 2,
      "bash -c 'until exec 3<>/dev/tcp/greeter/7070; do sleep 0.2; done 2>/dev/null; cat <&3'");
  container(cluster)["runFlux"] = true;
  cluster["spec"]["containers"].push_back(kGreeter);
  apply(cluster);
  ASSERT_TRUE(reaches("beside", "Complete"));
  EXPECT_THAT(log("beside", 0), HasSubstr("greetings"));
  EXPECT_TRUE(kubectl.get({"service", "greeter"}).is_object());
}

TEST_F(Modes, ServicesPodIsReachedByItsNameAndGoesWithTheMiniCluster) {
  json cluster = minicluster("with-services", 2,
                             "bash -c 'until exec 3<>/dev/tcp/with-services-services.with-services/"
                             "7070; do sleep 0.2; done 2>/dev/null; cat <&3'");
  cluster["spec"]["services"] = json::array({kGreeter});
  apply(cluster);
  ASSERT_TRUE(reaches("with-services", "Complete"));
  EXPECT_THAT(log("with-services", 0), HasSubstr("greetings"));
  kubectl.must({"delete", "minicluster", "with-services"});
  // The kubelet gives it thirty seconds to end.
  EXPECT_TRUE(
      test::eventually([&] { return kubectl.get({"pod", "with-services-services"}).is_null(); },
                       std::chrono::seconds(60)))
      << everything();
}

// tests/integration/kueue_test.cpp tests the queue with Kueue. This test shows that a kubelet
// passes the controller's annotation of the pod to the lead.
TEST_F(Modes, LeadInAQueueIsToldHowManyPodsThereAreBeforeTheCommandStarts) {
  json cluster = minicluster("queued", 2, "hostname", {{"minSize", 1}, {"tasks", 2}});
  cluster["metadata"]["labels"]["kueue.x-k8s.io/queue-name"] = "any";
  apply(cluster);
  ASSERT_TRUE(reaches("queued", "Complete"));
  EXPECT_THAT(log("queued", 0), HasSubstr("minicluster: admitted 2 of 2 pods"));
  EXPECT_THAT(log("queued", 0), HasSubstr("\nqueued-1"));
}

TEST_F(Modes, MinimalServiceNamesTheLeadOnlyAndTheClusterFormsAllTheSame) {
  apply(
      minicluster("minimal", 3, "hostname", {{"flux", {{"minimalService", true}}}, {"tasks", 3}}));
  ASSERT_TRUE(reaches("minimal", "Complete"));
  EXPECT_THAT(log("minimal", 0), HasSubstr("\nminimal-2"));
}

TEST_F(Modes, NamesOfTheHeadlessServiceResolveInThePods) {
  apply(minicluster("names", 2, "", {{"interactive", true}}));
  ASSERT_TRUE(reaches("names", "Ready"));
  const std::string domain = ".names." + kubectl.namespace_name() + ".svc.cluster.local";
  for (int i = 0; i < 2; ++i) {
    const std::string host = "names-" + std::to_string(i);
    const Outcome outcome = exec("names", 0, "getent hosts " + host + domain);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr(pod("names", i)["status"].value("podIP", "?")));
  }
}

}  // namespace
}  // namespace mc::e2e
