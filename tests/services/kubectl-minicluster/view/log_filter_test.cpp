#include "services/kubectl-minicluster/view/log_filter.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace mc::kubectl {
namespace {

struct Split {
  std::string out, errors;
  friend bool operator==(const Split&, const Split&) = default;
};

void add(const std::vector<LogFilter::Part>& parts, Split& to) {
  for (const auto& [text, is_error] : parts) (is_error ? to.errors : to.out) += text;
}

// The log in pieces of this size.
Split filtered(std::string_view log, std::size_t size) {
  LogFilter filter;
  Split out;
  for (std::size_t at = 0; at < log.size(); at += size) {
    const std::string piece(log.substr(at, size));  // gone after the call
    add(filter.feed(piece), out);
  }
  out.out += filter.rest();
  return out;
}

TEST(LogFilter, OurLinesGoAndAllElseStaysHoweverTheLogIsCut) {
  struct Case {
    std::string log;
    Split expected;
  };
  const std::string zero("a\0b\xff\r\n", 6);
  for (const auto& [log, expected] : std::vector<Case>{
           {"", {}},
           {"one\ntwo", {"one\ntwo", ""}},
           {"\n\n\n", {"\n\n\n", ""}},
           {zero, {zero, ""}},
           {"minicluster: phase=init\none\n", {"one\n", ""}},
           {"one\nminicluster: a\nminicluster: b\ntwo\n", {"one\ntwo\n", ""}},
           {"one\nminicluster: error: x\ntwo\n", {"one\ntwo\n", "minicluster: error: x\n"}},
           {"minicluster: error: no end", {"", "minicluster: error: no end"}},
           {"minicluster: erroneous\none", {"one", ""}},
           {"minicluster: err", {"", ""}},
           {"minicluste", {"minicluste", ""}},
           {"minicluster\nminiclusters: no\n minicluster: no\n",
            {"minicluster\nminiclusters: no\n minicluster: no\n", ""}},
           {"m\nmi\nmin\nx minicluster: y\n", {"m\nmi\nmin\nx minicluster: y\n", ""}},
           {"one\nminicluster: stderr: two\nthree\n", {"one\nthree\n", "two\n"}},
           {"minicluster: stderr: minicluster: error: x\nminicluster: stderr: ",
            {"", "minicluster: error: x\n"}},
           {"minicluster: stderr: \nminicluster: stdout: x\nminicluster: stderr: no end",
            {"", "\nno end"}},
           {"minicluster: stays up to 9 s\none\n", {"one\n", ""}},
           {"minicluster:\nminicluster:", {"", ""}},
           {"m\nmminicluster: x\n", {"m\nmminicluster: x\n", ""}}}) {
    for (std::size_t size = 1; size <= std::max<std::size_t>(log.size(), 1); ++size) {
      EXPECT_EQ(filtered(log, size), expected) << log << " in pieces of " << size;
    }
  }
}

TEST(LogFilter, OurLinesStayIfTheyAreToBeKeptButErrorsAreErrors) {
  const std::string log =
      "minicluster: phase=init\none\nminicluster: error: x\nminicluster: y\nminicluster:";
  for (std::size_t size = 1; size <= log.size(); ++size) {
    LogFilter filter(LogFilter::Own::Keep);
    Split out;
    for (std::size_t at = 0; at < log.size(); at += size)
      add(filter.feed(std::string(log.substr(at, size))), out);
    out.out += filter.rest();
    EXPECT_EQ(out.out, "minicluster: phase=init\none\nminicluster: y\nminicluster:") << size;
    EXPECT_EQ(out.errors, "minicluster: error: x\n") << size;
  }
}

TEST(LogFilter, TellsOnceThatTheLeadStays) {
  const std::string log =
      "minicluster: stays late\nx minicluster: stays up to 9 s\nminicluster: stays up to 9 s\n";
  for (const auto own : {LogFilter::Own::Drop, LogFilter::Own::Keep}) {
    LogFilter filter(own);
    int told = 0;
    for (const char each : log) {
      filter.feed(std::string_view(&each, 1));
      told += filter.take_lingers() ? 1 : 0;
    }
    EXPECT_EQ(told, 1);
  }
}

TEST(LogFilter, AReaderWaitsForNothingButTheBeginningOfOurLines) {
  LogFilter filter;
  for (const char* const piece : {"Continue? [y/n] ", "y", "\n", "m", "ake\nprompt> "}) {
    Split seen;
    add(filter.feed(piece), seen);
    EXPECT_EQ(seen.out, std::string_view(piece) == "m"              ? ""
                        : std::string_view(piece).starts_with("ak") ? "make\nprompt> "
                                                                    : piece);
  }
}

TEST(LogFilter, LinesOfOthersArePassedOnAsOnePart) {
  LogFilter filter;
  std::string log;
  for (int i = 0; i < 1000; ++i) log += "line " + std::to_string(i) + "\n";
  EXPECT_EQ(filter.feed(log).size(), 1U);
}

}  // namespace
}  // namespace mc::kubectl
