#include <gtest/gtest.h>

#include <iostream>
#include <sstream>

#include "common/base/arguments.h"
#include "services/kubectl-minicluster/app/options.h"
#include "tests/support/messages.h"

namespace mc::kubectl {
namespace {

struct Asked {
  int code = -1;
  std::string out, err;
};

Asked asked(const std::vector<const char*>& arguments, bool terminal) {
  const auto options = parse_options(static_cast<int>(arguments.size()), arguments.data());
  if (!options) return {options.error().code, "", options.error().text};
  std::ostringstream out, err;
  const Terminal there{.out = out,
                       .err = err,
                       .out_is_terminal = terminal,
                       .err_is_terminal = terminal,
                       .in_is_terminal = terminal};
  const int code = options->verb({options->cluster, there});
  test::collect_errors("Errors of kubectl minicluster", err.str());
  return {code, out.str(), err.str()};
}

// It reads the answer from standard input.
class Answer {
 public:
  explicit Answer(const std::string& text) : text_(text), before_(std::cin.rdbuf(text_.rdbuf())) {}
  ~Answer() {
    std::cin.rdbuf(before_);
    std::cin.clear();
  }
  Answer(const Answer&) = delete;
  Answer& operator=(const Answer&) = delete;

 private:
  std::istringstream text_;
  std::streambuf* const before_;
};

TEST(Cancel, OnATerminalAnythingButYesDeletesNothing) {
  for (const char* const answer : {"n\n", "\n", "", "yo\n"}) {
    const Answer given(answer);
    const Asked said = asked({"kubectl-minicluster", "cancel", "x"}, true);
    EXPECT_EQ(said.code, kFailed);
    EXPECT_EQ(said.out, "");
    EXPECT_EQ(said.err, "Delete minicluster/x with its pods and their logs? [y/N] not deleted\n");
  }
}

TEST(Cancel, WithoutATerminalItMustBeToldToDelete) {
  const Asked said = asked({"kubectl-minicluster", "cancel", "x"}, false);
  EXPECT_EQ(said.code, kUsageError);
  EXPECT_EQ(
      said.err,
      "error: cannot ask for confirmation without a terminal; use --yes to delete minicluster/x\n");
}

TEST(Top, WithoutATerminalNamesWhatNeedsNone) {
  const Asked said = asked({"kubectl-minicluster", "top", "x"}, false);
  EXPECT_EQ(said.code, kUsageError);
  EXPECT_EQ(said.err, "error: top needs a terminal; `kubectl minicluster jobs NAME` needs none\n");
}

}  // namespace
}  // namespace mc::kubectl
