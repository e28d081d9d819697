#include "services/kubectl-minicluster/view/log_position.h"

#include <gtest/gtest.h>

namespace mc::kubectl {
namespace {

const std::string kAtOne = "2026-11-24T22:00:00.000000001Z ";
const std::string kAtTwo = "2026-11-24T22:00:00.000000002Z ";
const std::string kAtThree = "2026-11-24T22:00:00.000000003+01:00 ";

// What is left of a log that comes in pieces of this size.
std::string in_pieces(LogTimes& times, std::string_view log, std::size_t size) {
  std::string out;
  for (; !log.empty(); log.remove_prefix(std::min(size, log.size()))) {
    out += times.take(log.substr(0, size));
  }
  return out + std::string(times.end());
}

TEST(LogTimes, AreTakenOutHoweverTheLogComes) {
  const std::string log = kAtOne + "one\r\n" + kAtOne + "\n" + kAtTwo + " \n" + kAtThree + "th";
  for (std::size_t size = 1; size <= log.size(); ++size) {
    LogTimes times;
    EXPECT_EQ(in_pieces(times, log, size), "one\r\n\n \nth") << size;
    EXPECT_EQ(times.since() + " ", kAtThree);
  }
}

TEST(LogTimes, AreKeptIfTheyAreWanted) {
  const std::string log = kAtOne + "one\n" + kAtTwo + "two\n";
  for (std::size_t size = 1; size <= log.size(); ++size) {
    LogTimes times(true);
    EXPECT_EQ(in_pieces(times, log + kAtTwo + "th", size), log + kAtTwo + "th") << size;
    times.read_again();
    EXPECT_EQ(in_pieces(times, kAtTwo + "two\n" + kAtTwo + "three\n", size), "ree\n") << size;
  }
}

// Of a kubelet that sends no times at all.
TEST(LogTimes, LinesWithoutOneArePassedOnOnce) {
  const std::string log =
      "unable to retrieve container logs\nunable\nrpc error: "
      "c\n2026-11-24T22:00:00.000000001Z\nT\n\n " +
      std::string(100, 'x') + "\nword";
  for (std::size_t size = 1; size <= log.size(); ++size) {
    LogTimes times;
    EXPECT_EQ(in_pieces(times, log, size), log) << size;
    EXPECT_EQ(times.since(), "");
    times.read_again();
    EXPECT_EQ(in_pieces(times, log + " more\nword", size), " more\nword") << size;
  }
}

TEST(LogTimes, TheKubeletsOwnSentencesAreNoPartOfTheLog) {
  struct Case {
    std::string log, text, words;
  };
  const std::string gone = "unable to retrieve container logs for containerd://0";
  for (const auto& [log, text, words] : std::vector<Case>{
           {gone, "", gone},
           {gone + "\n", "", gone + "\n"},
           {kAtOne + "one\n" + gone, "one\n", gone},
           {kAtOne + gone + "\n" + gone, gone + "\n", gone},
           {kAtOne + "one\nfailed to create fsnotify watcher: too many open files", "one\n",
            "failed to create fsnotify watcher: too many open files"},
           {"failed to open log file \"/x\": gone", "", "failed to open log file \"/x\": gone"},
           // The kubelet's if it sends times, else the command's.
           {kAtOne + "one\nsomething new\n", "one\n", "something new\n"},
           {"failed to open log file\n", "failed to open log file\n", ""},
           {"unable", "unable", ""},
           // A time that was cut.
           {kAtOne + "one\n2026-11-24T22:0", "one\n", ""}}) {
    for (std::size_t size = 1; size <= log.size(); ++size) {
      LogTimes times;
      EXPECT_EQ(in_pieces(times, log, size), text) << log << " in pieces of " << size;
      EXPECT_EQ(times.take_words(), words) << log << " in pieces of " << size;
      EXPECT_EQ(times.take_words(), "");
    }
  }
}

TEST(LogTimes, ALogThatIsReadAgainGoesOnWithinALine) {
  const std::string begun = kAtOne + "one\n" + kAtTwo + "two\n" + kAtTwo + "th";
  const std::string whole = kAtTwo + "two\n" + kAtTwo + "three\n" + kAtTwo + "four\n";
  for (std::size_t size = 1; size <= whole.size(); ++size) {
    LogTimes times;
    EXPECT_EQ(in_pieces(times, begun, size), "one\ntwo\nth");
    times.read_again();
    // Lost again, before it came to where it was.
    EXPECT_EQ(times.take(kAtTwo + "t"), "");
    times.read_again();
    EXPECT_EQ(in_pieces(times, whole, size), "ree\nfour\n") << size;
    times.read_again();
    EXPECT_EQ(in_pieces(times, whole, size), "");
    times.read_again();
    EXPECT_EQ(in_pieces(times, kAtThree + "new file\n", size), "new file\n");
  }
}

// Standard output and standard error have their times from two threads of the container runtime.
TEST(LogTimes, ALineThatIsAMomentOlderThanTheOneBeforeIsNotLost) {
  LogTimes times;
  EXPECT_EQ(times.take(kAtTwo + "two\n" + kAtOne + "one\n"), "two\none\n");
  times.read_again();
  EXPECT_EQ(times.take(kAtTwo + "two\n" + kAtOne + "one\n" + kAtThree + "three\n"), "three\n");
}

}  // namespace
}  // namespace mc::kubectl
