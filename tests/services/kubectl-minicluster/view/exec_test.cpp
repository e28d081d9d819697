#include "services/kubectl-minicluster/view/exec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <fstream>

#include "tests/support/process.h"
#include "tests/support/temporary_folder.h"

namespace mc::kubectl {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Enter, KubectlGetsTheCommandWordByWord) {
  const Target target{"m-0-x", "m"};
  EXPECT_THAT(exec_arguments(target, {"ls", "-l", "a b"}, false),
              ElementsAre("exec", "-i", "m-0-x", "--container=m", "--", "ls", "-l", "a b"));
  EXPECT_THAT(exec_arguments(target, {"top"}, true),
              ElementsAre("exec", "-i", "-t", "m-0-x", "--container=m", "--", "top"));
}

// What runs in the container, with a `flux` that shows how it was called, and a broker's socket.
class InTheContainer : public ::testing::Test {
 protected:
  InTheContainer() {
    std::ofstream(folder_.path() / "flux")
        << "#!/bin/sh\nprintf '<%s>' \"$FLUX_URI\" \"$@\"\nexit 7\n";
    std::filesystem::permissions(folder_.path() / "flux", std::filesystem::perms::owner_all);
  }

  void write_view() const {
    std::ofstream(folder_.path() / "flux-view.sh")
        << "export PATH=" << folder_.path().string() << ":$PATH\nexport fluxsocket=local://"
        << socket().string() << "\n";
  }
  void start_broker() const {
    sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
    socket().string().copy(address.sun_path, sizeof(address.sun_path) - 1);
    const int fd = ::socket(AF_UNIX, SOCK_STREAM, 0);
    ASSERT_EQ(::bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
    ::close(fd);
  }
  std::filesystem::path socket() const { return folder_.path() / "local"; }

  json minicluster() const {
    return {{"spec", {{"flux", {{"container", {{"mountPath", folder_.path().string()}}}}}}}};
  }
  test::Outcome run_flux() const {
    return test::run(flux_command(minicluster(), {"jobs", "-a", "it's $HOME"}));
  }

 private:
  const test::TemporaryFolder folder_;
};

TEST_F(InTheContainer, FluxGetsItsArgumentsWordByWordAndTheSocket) {
  write_view();
  start_broker();
  const test::Outcome outcome = run_flux();
  EXPECT_EQ(outcome.out, "<local://" + socket().string() + "><jobs><-a><it's $HOME>");
  EXPECT_EQ(outcome.code, 7);
}

TEST_F(InTheContainer, FluxSaysThatThereIsNoBrokerYet) {
  EXPECT_EQ(run_flux().err, "error: no Flux broker runs in this container yet\n");
  write_view();
  const test::Outcome outcome = run_flux();
  EXPECT_EQ(outcome.err, "error: no Flux broker runs in this container yet\n");
  EXPECT_EQ(outcome.code, 1);
}

TEST_F(InTheContainer, AShellIsConnectedOnceThereIsABroker) {
  const test::ProcessOptions lines{.input = "flux jobs; echo home $HOME\n",
                                   .environment = {{"HOME", "/"}}};
  const test::Outcome before = test::run(shell_command(minicluster()), lines);
  EXPECT_THAT(before.err, HasSubstr("No Flux broker runs in this container yet"));
  write_view();
  start_broker();
  const test::Outcome outcome = test::run(shell_command(minicluster()), lines);
  EXPECT_EQ(outcome.out, "<local://" + socket().string() + "><jobs>home /home/flux-operator\n");
  EXPECT_EQ(outcome.err, "");
}

}  // namespace
}  // namespace mc::kubectl
