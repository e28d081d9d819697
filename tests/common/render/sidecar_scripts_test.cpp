#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/common/render/pod_dir.h"
#include "tests/support/clusters.h"
#include "tests/support/folders.h"

// The entry points of the init container and of wrapped sidecars.
namespace mc::test {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

class Sidecar : public ::testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(WithAndWithoutBash, Sidecar, ::testing::Bool(), shell_name);

constexpr const char* kBoth =
    "sh $operator/flux-init.sh >/dev/null\n"
    "sh $operator/start-1.sh >$FAKE_FLUX/sidecar 2>&1 & sidecar=$!\n"
    "sh $operator/wait-0.sh; code=$?\n"
    "wait $sidecar; echo sidecar $?\n"
    "exit $code";

api::MiniCluster with_sidecar(const std::string& command, const std::string& main) {
  api::MiniCluster out = cluster(main);
  out.spec.containers.push_back(sidecar("helper", "ubuntu:noble", command));
  return out;
}

TEST_P(Sidecar, RunsItsCommandWhenTheSocketIsThere) {
  api::MiniCluster spec = with_sidecar("echo \"$A\" $fluxsocket && exit 4", "sleep 3");
  spec.spec.containers[1].commands.pre = "A='one  two'";
  spec.spec.containers[1].commands.service_pre = "A=\"$A three\"";
  const PodDir pod(spec, GetParam());
  const Outcome outcome = pod.must_run(kBoth);
  EXPECT_EQ(text_of(pod.file("record/sidecar")),
            "one  two three local://" + pod.file("mount/config/run/flux/local").string() +
                "\nminicluster: sidecar ended with code 4\n");
  EXPECT_THAT(outcome.out, HasSubstr("sidecar 0\n"));  // it does not decide the pod's outcome
}

TEST_P(Sidecar, RunsItsSnippetsWithoutACommand) {
  api::MiniCluster spec = with_sidecar("", "sleep 3");
  spec.spec.containers[1].commands.service_pre = "A=one";
  spec.spec.containers[1].commands.post = "echo \"$A\" $fluxsocket";
  const PodDir pod(spec, GetParam());
  const Outcome outcome = pod.must_run(kBoth);
  EXPECT_EQ(text_of(pod.file("record/sidecar")),
            "one local://" + pod.file("mount/config/run/flux/local").string() +
                "\nminicluster: sidecar ended with code 0\n");
}

TEST_P(Sidecar, SnippetsFindTheViewsEnvironment) {
  api::MiniCluster spec = with_sidecar("", "sleep 2");
  spec.spec.containers[1].commands.service_pre =
      "set -eu\n. $viewbase/flux-view.sh\necho $viewroot $viewbin $software $configroot";
  spec.spec.flux.no_wait_socket = true;
  const PodDir pod(spec, GetParam());
  const std::string mount = pod.file("mount").string();
  EXPECT_THAT(pod.run("sh $operator/flux-init.sh >/dev/null; sh $operator/start-1.sh").out,
              HasSubstr(mount + "/view " + mount + "/view/bin " + mount + "/software " + mount +
                        "/config\n"));
}

TEST_P(Sidecar, EndsWithTheBrokerHoweverThatEnds) {
  for (const char* main : {"sleep 2", "sh -c 'sleep 2; exit 9'"}) {
    api::MiniCluster spec = with_sidecar("sleep 50", main);
    const PodDir pod(spec, GetParam());
    const Outcome outcome = pod.run(kBoth);
    EXPECT_NE(outcome.code, 124) << "the sidecar outlived the broker";
    EXPECT_THAT(outcome.out, HasSubstr("sidecar 0\n"));
    EXPECT_THAT(text_of(pod.file("record/sidecar")),
                EndsWith("minicluster: sidecar was stopped because the broker ended\n"));
  }
}

TEST_P(Sidecar, DoesNotWaitForWhatASnippetHasLeftRunning) {
  api::MiniCluster spec = with_sidecar("sleep 60", "true");
  spec.spec.containers[0].commands.pre = "sleep 60 &";
  const PodDir pod(spec, GetParam());
  EXPECT_THAT(pod.must_run(kBoth).out, HasSubstr("sidecar 0\n"));
}

TEST_P(Sidecar, EndsWhenTheBrokersContainerIsKilled) {
  const PodDir pod(with_sidecar("sleep 50", "sleep 40"), GetParam());
  const Outcome outcome = pod.run(
      "sh $operator/flux-init.sh >/dev/null\n"
      "sh $operator/start-1.sh >$FAKE_FLUX/sidecar 2>&1 & sidecar=$!\n"
      "setsid sh $operator/wait-0.sh & broker=$!\n"
      "until [ -e $mount/config/run/flux/local ]; do sleep 0.1; done\n"
      "kill -KILL -$broker\n"
      "wait $sidecar; echo sidecar $?");
  EXPECT_NE(outcome.code, 124);
  EXPECT_THAT(outcome.out, HasSubstr("sidecar 0\n"));
  EXPECT_FALSE(std::filesystem::exists(pod.file("mount/flux-operator-complete.txt")));
}

// The kubelet pulls the sidecar's image only after it has started the container that runs Flux.
TEST_P(Sidecar, EndsAtOnceIfTheBrokersContainerHasEndedBeforeItsStart) {
  const struct {
    const char *how, *run, *restart_policy;
  } cases[] = {
      {"well", "sh $operator/wait-0.sh", ""},
      {"well, and would be restarted after a failure", "sh $operator/wait-0.sh", "OnFailure"},
      {"with a failure", "touch $FAKE_FLUX/no-R; sh $operator/wait-0.sh", ""},
      {"killed",
       "touch $FAKE_FLUX/stay; setsid sh $operator/wait-0.sh & broker=$!\n"
       "until [ -e $mount/config/run/flux/local ]; do sleep 0.1; done\n"
       "kill -KILL -$broker; wait $broker",
       ""},
  };
  for (const auto& [how, run, restart_policy] : cases) {
    SCOPED_TRACE(how);
    api::MiniCluster spec = with_sidecar("sleep 50", "hostname");
    spec.spec.pod.restart_policy = restart_policy;
    const PodDir pod(spec, GetParam());
    const Outcome outcome = pod.run("sh $operator/flux-init.sh >/dev/null\n" + std::string(run) +
                                    "\nsh $operator/start-1.sh; echo sidecar $?");
    EXPECT_NE(outcome.code, 124) << "the sidecar outlived the broker";
    EXPECT_THAT(outcome.out,
                EndsWith("minicluster: sidecar was stopped because the broker ended\nsidecar 0\n"));
  }
}

// The sidecar starts between two runs of the container that runs Flux, and serves in the second.
void serves_in_the_next_run(const PodDir& pod, const std::string& first_run, int ends) {
  const Outcome outcome = pod.run(
      first_run +
      "\nsh $operator/wait-0.sh; echo first $?; rm -f $FAKE_FLUX/no-R $mount/flux-view.sh\n"
      "sh $operator/start-1.sh >$FAKE_FLUX/sidecar 2>&1 & sidecar=$!\n"
      "until [ -e $mount/flux-view.sh ]; do sleep 0.1; done\n"  // the sidecar's steps have begun
      "sh $operator/wait-0.sh; wait $sidecar");
  EXPECT_THAT(outcome.out, HasSubstr("first " + std::to_string(ends) + "\n"));
  EXPECT_EQ(text_of(pod.file("record/sidecar")),
            "served\nminicluster: sidecar ended with code 0\n");
}

TEST_P(Sidecar, WaitsForTheBrokersContainerThatIsRestartedInItsPod) {
  api::MiniCluster spec = with_sidecar("echo served", "sleep 2");
  spec.spec.pod.template_patch = {{"spec", {{"restartPolicy", "OnFailure"}}}};
  serves_in_the_next_run(PodDir(spec, GetParam()),
                         "sh $operator/flux-init.sh >/dev/null; touch $FAKE_FLUX/no-R", 243);
}

// Without a view no init container removes what the run before has left.
TEST_P(Sidecar, WaitsForTheBrokersContainerOfAPodThatRestartsInItsPlace) {
  api::MiniCluster spec = with_sidecar("echo served", "sh -c 'exit 143'");
  spec.spec.flux.container.disable = true;
  spec.spec.restart_strategy = "InPlace";
  const PodDir pod(spec, GetParam());
  pod.write("record/left", "flux-sample-1\n");
  serves_in_the_next_run(pod, "", 250);
}

TEST(Init, BringsTheViewAndTheConfiguration) {
  const PodDir pod(cluster(), false);
  const Outcome outcome = pod.must_run("sh $operator/flux-init.sh");
  EXPECT_EQ(text_of(pod.file("mount/view/lib/python3.11/site-packages/flux.py")), "view");
  EXPECT_EQ(text_of(pod.file("mount/software/flux")), "software");
  EXPECT_EQ(text_of(pod.file("mount/config/etc/flux/system/hostlist")), "flux-sample-[0-3]\n");
  EXPECT_THAT(text_of(pod.file("mount/config/etc/flux/config/broker.toml")),
              HasSubstr("[bootstrap]"));
  EXPECT_THAT(outcome.out, HasSubstr("phase=init"));
}

TEST(Init, IsTheBrokersWithoutAView) {
  api::MiniCluster spec = cluster();
  spec.spec.flux.container.disable = true;
  const PodDir pod(spec, false);
  EXPECT_FALSE(std::filesystem::exists(pod.file("operator/flux-init.sh")));
  pod.must_run_broker();
  EXPECT_FALSE(std::filesystem::exists(pod.file("mount/view/bin")));
  EXPECT_TRUE(std::filesystem::exists(pod.file("mount/config/etc/flux/config/broker.toml")));
  EXPECT_EQ(text_of(pod.file("mount/config/etc/flux/system/hostlist")), "flux-sample-[0-3]\n");
  EXPECT_EQ(text_of(pod.file("mount/curve/curve.cert")), "the certificate\n");
  EXPECT_EQ(text_of(pod.file("mount/config/curve/curve.cert")), "the certificate\n");
  EXPECT_THAT(text_of(pod.file("mount/flux-view.sh")), Not(HasSubstr("LD_LIBRARY_PATH")));
}

// Public instructions use the socket and R of older Flux views.
TEST(Init, LinksThePlacesOfOlderViews) {
  for (const bool has_view : {true, false}) {
    api::MiniCluster spec = cluster();
    spec.spec.flux.container.disable = !has_view;
    const PodDir pod(spec, false);
    pod.must_run_broker();
    for (const auto& [older, today] :
         {std::pair("view/run/flux", "config/run/flux"),
          std::pair("view/etc/flux/system/R", "config/etc/flux/system/R")}) {
      EXPECT_TRUE(std::filesystem::equivalent(pod.file("mount") / older, pod.file("mount") / today))
          << older << " " << has_view;
    }
  }
}

// The init container runs again if the sandbox of its pod is lost.
TEST(Init, CopiesAViewAgainThatHasThesePlacesItself) {
  const PodDir pod(cluster(), false);
  const std::string init = "sh $operator/flux-init.sh >/dev/null";
  pod.write("image/view/run/flux/of-the-view", "");
  pod.write("image/view/etc/flux/system/R", "");
  pod.must_run(init);
  EXPECT_TRUE(std::filesystem::is_directory(pod.file("mount/view/run/flux")));
  std::filesystem::remove_all(pod.file("image/view/run"));
  std::filesystem::remove_all(pod.file("image/view/etc"));
  std::filesystem::remove_all(pod.file("mount/view"));
  pod.must_run(init);
  EXPECT_TRUE(std::filesystem::is_symlink(pod.file("mount/view/run/flux")));
  pod.write("image/view/run/flux/of-the-view", "");
  pod.write("image/view/etc/flux/system/R", "of the view\n");
  pod.must_run(init);
  EXPECT_EQ(text_of(pod.file("mount/view/etc/flux/system/R")), "of the view\n");
  EXPECT_FALSE(std::filesystem::exists(pod.file("mount/config/etc/flux/system/R")));
}

// A snippet of the user may have changed it before the container ended.
TEST(Init, IsDoneOnceForEachPod) {
  api::MiniCluster spec = cluster();
  spec.spec.flux.container.disable = true;
  const PodDir pod(spec, false);
  const Outcome outcome = pod.must_run(
      "touch $FAKE_FLUX/no-R; sh $operator/wait-0.sh; echo first $?; rm $FAKE_FLUX/no-R\n"
      "echo '# changed' >>$mount/config/etc/flux/config/broker.toml\n"
      "sh $operator/wait-0.sh");
  EXPECT_THAT(outcome.out, HasSubstr("first 243\n"));
  EXPECT_THAT(text_of(pod.file("mount/config/etc/flux/config/broker.toml")),
              EndsWith("# changed\n"));
}

TEST_P(Sidecar, MayStartBeforeTheBrokersContainerWithoutAView) {
  const std::string sidecar = "sh $operator/start-1.sh >$FAKE_FLUX/sidecar 2>&1 & sidecar=$!\n";
  const std::string broker = "sh $operator/wait-0.sh & broker=$!\n";
  const std::string begun = "until [ -p $mount/flux-operator-alive ]; do sleep 0.1; done\n";
  for (const std::string& both : {sidecar + begun + broker, broker + begun + sidecar}) {
    api::MiniCluster spec = with_sidecar("echo served", "sleep 2");
    spec.spec.flux.container.disable = true;
    const PodDir pod(spec, GetParam());
    pod.must_run(both + "wait $broker && wait $sidecar");
    EXPECT_EQ(text_of(pod.file("record/sidecar")),
              "served\nminicluster: sidecar ended with code 0\n");
  }
}

TEST(Init, SaysThatTheImageIsNoView) {
  const PodDir pod(cluster(), false);
  std::filesystem::remove_all(pod.file("image/view"));
  const Outcome outcome = pod.run("sh $operator/flux-init.sh");
  EXPECT_EQ(outcome.code, 240);
  EXPECT_THAT(outcome.err, HasSubstr("so it is not a Flux view\n"));
  EXPECT_FALSE(std::filesystem::exists(pod.file("mount/flux-operator-done.txt")));
}

}  // namespace
}  // namespace mc::test
