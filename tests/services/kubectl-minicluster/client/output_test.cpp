#include "services/kubectl-minicluster/client/output.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "services/kubectl-minicluster/client/child.h"
#include "services/kubectl-minicluster/client/terminal.h"

namespace mc::kubectl {
namespace {

class OutputTest : public ::testing::Test {
 protected:
  OutputTest() {
    std::signal(SIGPIPE, SIG_IGN);
    EXPECT_EQ(::pipe(ends_.data()), 0);
  }
  ~OutputTest() override {
    close_reader();
    close_writer();
  }
  void close_reader() { ::close(std::exchange(ends_[0], -1)); }
  void close_writer() { ::close(std::exchange(ends_[1], -1)); }
  int reader() const { return ends_[0]; }
  int writer() const { return ends_[1]; }

 private:
  std::array<int, 2> ends_{-1, -1};
};

TEST_F(OutputTest, TextsOfManyThreadsAreNotMixed) {
  Output output(writer());
  std::string text;
  {
    std::jthread reads([&] { text = read_all(reader()); });
    {
      std::vector<std::jthread> threads;
      for (char letter = 'a'; letter <= 'h'; ++letter) {
        threads.emplace_back([&output, letter] {
          for (int i = 0; i < 20; ++i) output.write(std::string(9999, letter) + "\n", {});
        });
      }
    }
    close_writer();
  }
  EXPECT_EQ(text.size(), 8 * 20 * 10'000);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    EXPECT_EQ(std::set<char>(line.begin(), line.end()).size(), 1);
  }
}

TEST_F(OutputTest, AReaderThatIsGoneEndsIt) {
  Output output(writer());
  close_reader();
  EXPECT_EQ(output.error(), 0);
  EXPECT_FALSE(output.write("x", {}));
  EXPECT_TRUE(is_without_reader(output.error()));
}

TEST_F(OutputTest, ATerminalThatWasClosedHasNoReader) {
  const int master = ::posix_openpt(O_RDWR | O_NOCTTY);
  ASSERT_TRUE(::grantpt(master) == 0 && ::unlockpt(master) == 0);
  const int terminal = ::open(::ptsname(master), O_WRONLY | O_NOCTTY);
  Output output(terminal);
  EXPECT_TRUE(output.write("x", {}));
  ::close(master);
  EXPECT_FALSE(output.write("x", {}));
  EXPECT_TRUE(is_without_reader(output.error()));
  ::close(terminal);
}

TEST_F(OutputTest, AFullDiskHasAReader) {
  const int full = ::open("/dev/full", O_WRONLY);
  Output output(full);
  EXPECT_FALSE(output.write("x", {}));
  EXPECT_EQ(output.error(), ENOSPC);
  EXPECT_FALSE(is_without_reader(output.error()));
  ::close(full);
}

TEST(BrokenOutput, IsSaidUnlessItsReaderHasGone) {
  std::ostringstream out, err;
  const Terminal terminal{.out = out, .err = err};
  EXPECT_EQ(report_broken_output(terminal, EPIPE), kBrokenPipe);
  EXPECT_EQ(err.str(), "");
  EXPECT_EQ(report_broken_output(terminal, ENOSPC), kFailed);
  EXPECT_EQ(err.str(), "error: cannot write the output: No space left on device\n");
}

TEST_F(OutputTest, AReaderThatSleepsDoesNotHoldUpTheEnd) {
  Output output(writer());
  std::jthread writes([&](const std::stop_token& stop) {
    EXPECT_FALSE(output.write(std::string(1 << 20, 'x'), stop));
  });
  writes.request_stop();
  writes.join();
}

}  // namespace
}  // namespace mc::kubectl
