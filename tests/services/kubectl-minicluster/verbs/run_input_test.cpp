#include "services/kubectl-minicluster/verbs/run_input.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <fstream>

#include "tests/services/kubectl-minicluster/verbs/kubectl_script.h"
#include "tests/services/kubectl-minicluster/verbs/lead_test.h"

namespace mc::kubectl {
namespace {

using std::chrono::seconds;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// This process's standard input is a file or a pipe, and `kubectl` a script that writes what it is
// fed to `got-N`, N being the number of its run.
class InputOfRun : public LeadTest {
 protected:
  void SetUp() override {
    before_ = ::dup(STDIN_FILENO);
    script_.set("read -r line; echo word; { echo \"$line\"; cat; } >got-$run");
  }
  void TearDown() override {
    input_.reset();
    ::dup2(before_, STDIN_FILENO);
    ::close(before_);
  }

  std::string got(int run) const { return script_.text("got-" + std::to_string(run)); }

  void read_from(int fd) {
    ::dup2(fd, STDIN_FILENO);
    ::close(fd);
    input_.emplace(kubectl_, "c", "0", standard_input(), hooks());
  }
  void read_from_file(const std::string& text) {
    const auto file = script_.path("input");
    std::ofstream(file) << text;
    read_from(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  }
  void read_from_pipe(const std::string& text) {
    std::array<int, 2> ends{};
    ASSERT_EQ(::pipe(ends.data()), 0);
    ASSERT_EQ(::write(ends[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
    ::close(ends[1]);
    read_from(ends[0]);
  }

  template <class Done>
  [[nodiscard]] bool until(Done done, const Lead& lead, Steady::duration skipped = {}) {
    return LeadTest::until(*input_, done, lead, false, skipped);
  }

  static Lead lead(int number) { return {"pod", "uid", number, false}; }

  const KubectlScript script_;
  const Kubectl kubectl_ = script_.program();
  int before_ = -1;
  std::optional<LeadInput> input_;
};

const std::string kFirstLine = "minicluster input 0\n";

TEST_F(InputOfRun, APipeArrivesWholeAfterTheFirstLine) {
  const std::string bytes("one\n\0\xff two", 10);
  read_from_pipe(bytes);
  EXPECT_TRUE(until([&] { return got(1) == kFirstLine + bytes; }, lead(0))) << got(1);
  EXPECT_EQ(script_.text("runs"), "attach --stdin --quiet pod --container=c\n");
  EXPECT_THAT(said_, IsEmpty());
}

TEST_F(InputOfRun, AFileIsGivenToEachLead) {
  read_from_file("text");
  EXPECT_TRUE(until([&] { return got(1) == kFirstLine + "text"; }, lead(0)));
  EXPECT_TRUE(until([&] { return got(2) == kFirstLine + "text"; }, lead(1))) << got(2);
  EXPECT_THAT(said_, IsEmpty());
}

TEST_F(InputOfRun, TheNextLeadIsToldThatAPipeIsGone) {
  read_from_pipe("text");
  EXPECT_TRUE(until([&] { return got(1) == kFirstLine + "text"; }, lead(0)));
  EXPECT_TRUE(until([&] { return got(2) == "minicluster input gone\n"; }, lead(1))) << got(2);
  EXPECT_THAT(said_, Contains(HasSubstr("the standard input cannot be sent again")));
}

TEST_F(InputOfRun, AnAttachThatFailsIsTriedAgainAndIsToldIfItGoesOn) {
  script_.set(
      "[ -e works ] || { echo 'error: not yet' >&2; exit 1; }\n"
      "read -r line; echo word; { echo \"$line\"; cat; } >got");
  read_from_file("text");
  EXPECT_TRUE(until([&] { return !said_.empty(); }, lead(0), seconds(1)));
  EXPECT_THAT(said_, Contains("cannot send the standard input to the command: not yet"));
  std::ofstream(script_.path("works")) << "";
  EXPECT_TRUE(
      until([&] { return script_.text("got") == kFirstLine + "text"; }, lead(0), seconds(1)));
}

TEST_F(InputOfRun, AConnectionThatIsLostMidwayIsTold) {
  script_.set("read -r line; echo word; read -r line; echo 'error: lost connection' >&2; exit 1");
  read_from_file("one\ntwo\n");
  EXPECT_TRUE(until([&] { return !said_.empty(); }, lead(0), seconds(1)));
  EXPECT_THAT(said_, Contains(HasSubstr("only a part of its input: lost connection")));
}

TEST_F(InputOfRun, AnEmptyFileIsNoInput) {
  read_from_file("");
  EXPECT_EQ(standard_input(), Input::None);
  input_->look(lead(0), false, Steady::now());
  EXPECT_FALSE(std::filesystem::exists(script_.path("runs")));
}

}  // namespace
}  // namespace mc::kubectl
