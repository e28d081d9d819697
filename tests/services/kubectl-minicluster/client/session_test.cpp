#include "services/kubectl-minicluster/client/session.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <csignal>
#include <cstdlib>
#include <fstream>

#include "tests/support/folders.h"
#include "tests/support/must.h"
#include "tests/support/temporary_folder.h"

namespace mc::kubectl {
namespace {

TEST(Session, AnErrorIsTheApiServersSentence) {
  const auto said = [](const std::string& message) {
    return sentence_of(Error{ErrorKind::NotFound, message});
  };
  EXPECT_EQ(said("get MiniCluster a/x: 404 NotFound: miniclusters.flux-framework.org \"x\" not "
                 "found"),
            "miniclusters.flux-framework.org \"x\" not found");
  EXPECT_EQ(said("get MiniCluster a/x: 500: broken\npipe"), "broken pipe");
  EXPECT_EQ(said("kubectl is not in PATH"), "kubectl is not in PATH");
}

// A kubectl that is a shell script.
Kubectl scripted(const std::filesystem::path& folder, const std::string& script) {
  std::ofstream(folder / "kubectl") << "#!/bin/sh\n" << script << "\n";
  std::filesystem::permissions(folder / "kubectl", std::filesystem::perms::owner_all);
  const std::string before = std::getenv("PATH");
  ::setenv("PATH", folder.c_str(), 1);
  Kubectl found = test::must(Kubectl::find({}));
  ::setenv("PATH", before.c_str(), 1);
  return found;
}

TEST(Proxy, ItsEndIsSeenWithItsLastWords) {
  const test::TemporaryFolder folder;
  const Kubectl kubectl =
      scripted(folder.path(), "echo listens; read -r _ <" + folder.path().string() +
                                  "/end; echo error: no more >&2");
  ASSERT_EQ(::mkfifo((folder.path() / "end").c_str(), 0600), 0);
  const auto proxy = test::must(Proxy::start(kubectl, {}));
  EXPECT_FALSE(proxy->ends_within(std::chrono::milliseconds(1)));
  std::ofstream(folder.path() / "end") << "\n";
  EXPECT_TRUE(proxy->ends_within(std::chrono::seconds(20)));
  EXPECT_EQ(proxy->last_words(), "no more");
}

// A kubectl whose plugin for credentials leaves a program that has its own session and keeps the
// standard error open.
class ProxyWithDaemon : public ::testing::Test {
 protected:
  ProxyWithDaemon() { EXPECT_EQ(::mkfifo(path("end").c_str(), 0600), 0); }
  ~ProxyWithDaemon() override { ::kill(std::stoi(test::text_of(path("daemon"))), SIGKILL); }

  std::string path(const std::string& name) const { return folder_.path() / name; }
  Kubectl kubectl_that(const std::string& goes_on) const {
    return scripted(folder_.path(), "setsid sh -c 'echo $$ >" + path("new") + "; mv " +
                                        path("new") + " " + path("daemon") +
                                        "; exec sleep 1000' >/dev/null &\nwhile ! [ -e " +
                                        path("daemon") + " ]; do :; done; " + goes_on);
  }

 private:
  const test::TemporaryFolder folder_;
};

TEST_F(ProxyWithDaemon, ItsEndIsSeen) {
  const auto proxy = test::must(Proxy::start(
      kubectl_that("echo listens; read -r _ <" + path("end") + "; echo error: no more >&2"), {}));
  EXPECT_FALSE(proxy->ends_within(std::chrono::milliseconds(1)));
  std::ofstream(path("end")) << "\n";
  EXPECT_TRUE(proxy->ends_within(std::chrono::seconds(20)));
  EXPECT_EQ(proxy->last_words(), "no more");
}

TEST_F(ProxyWithDaemon, OursDoesNotWaitForIt) {
  test::must(Proxy::start(kubectl_that("echo listens; exec sleep 1000"), {})).reset();
}

TEST_F(ProxyWithDaemon, WithoutAStartTheReasonIsTold) {
  const auto proxy = Proxy::start(kubectl_that("echo error: no config >&2; exit 1"), {});
  ASSERT_FALSE(proxy);
  EXPECT_EQ(proxy.error().message, "no config");
}

TEST(Kubectl, TheReasonIsWhatItCallsAnError) {
  EXPECT_EQ(reason_in("W1124 a warning\nerror: context \"x\" does not exist\n"),
            "context \"x\" does not exist");
  EXPECT_EQ(reason_in("Error from server (Forbidden): no\nmore\n"),
            "Error from server (Forbidden): no");
  EXPECT_EQ(reason_in("one\ntwo\n\n"), "two");
  EXPECT_EQ(reason_in(""), "kubectl failed without a message");
}

const char* const kTwoContexts =
    R"({"contexts": [{"name": "a", "context": {"namespace": "blue"}},
                     {"name": "b", "context": {"cluster": "c"}}], "current-context": "a"})";

TEST(Kubectl, TheNamespaceIsThatOfTheContext) {
  const json config = json::parse(kTwoContexts);
  EXPECT_EQ(namespace_in(config, ""), "blue");
  EXPECT_EQ(namespace_in(config, "a"), "blue");
  EXPECT_EQ(namespace_in(config, "b"), "");
}

TEST(Kubectl, WithoutACurrentContextTheNamespaceIsDefault) {
  const test::TemporaryFolder folder;
  const auto namespace_with = [&](const std::string& config) {
    return test::must(scripted(folder.path(), "echo '" + config + "'").default_namespace());
  };
  EXPECT_EQ(namespace_with(kTwoContexts), "blue");
  EXPECT_EQ(namespace_with(R"({"contexts": [{"name": "a", "context": {"namespace": "blue"}}],
                               "current-context": ""})"),
            "default");
  EXPECT_EQ(namespace_with(R"({"contexts": null, "current-context": ""})"), "default");
}

TEST(Kubectl, InAPodTheNamespaceIsThePods) {
  const test::TemporaryFolder folder;
  std::ofstream(folder.path() / "token") << "x";
  std::ofstream(folder.path() / "namespace") << "team\n";
  EXPECT_EQ(namespace_of_pod(folder.path()), "");
  ::setenv("KUBERNETES_SERVICE_HOST", "10.0.0.1", 1);
  ::setenv("KUBERNETES_SERVICE_PORT", "443", 1);
  EXPECT_EQ(namespace_of_pod(folder.path()), "team");
  ::setenv("POD_NAMESPACE", "other", 1);
  EXPECT_EQ(namespace_of_pod(folder.path()), "other");
  EXPECT_EQ(namespace_of_pod(folder.path() / "none"), "");
  for (const char* const name :
       {"KUBERNETES_SERVICE_HOST", "KUBERNETES_SERVICE_PORT", "POD_NAMESPACE"})
    ::unsetenv(name);
}

}  // namespace
}  // namespace mc::kubectl
