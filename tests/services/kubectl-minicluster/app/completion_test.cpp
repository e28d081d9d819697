#include "services/kubectl-minicluster/app/completion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <sstream>

#include "services/kubectl-minicluster/app/options.h"
#include "tests/support/folders.h"
#include "tests/support/must.h"

namespace mc::kubectl {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Not;
using ::testing::StartsWith;

// What is printed for these words; the last one is to be completed.
std::vector<std::string> candidates(std::vector<const char*> words) {
  words.insert(words.begin(), "/a/kubectl_complete-mc");
  const Options options = test::must(parse_options(static_cast<int>(words.size()), words.data()));
  std::ostringstream out, err;
  EXPECT_EQ(options.verb({.cluster = options.cluster, .terminal = {.out = out, .err = err}}), 0);
  EXPECT_EQ(err.str(), "");
  return test::lines_of(out.str());
}

TEST(Completion, IsAskedForByTheNameOfTheProgram) {
  EXPECT_TRUE(asks_for_candidates("/usr/bin/kubectl_complete-minicluster"));
  EXPECT_TRUE(asks_for_candidates("kubectl_complete-mc"));
  EXPECT_FALSE(asks_for_candidates("/kubectl_complete-mc/kubectl-minicluster"));
}

TEST(Completion, OfAVerbOffersEachWithTheFirstSentenceOfItsHelp) {
  const auto all = candidates({""});
  EXPECT_THAT(all, Contains("suspend\tDelete the pods and keep everything else"));
  EXPECT_THAT(all, Contains(StartsWith("render\t")));
  EXPECT_THAT(all.back(), ":4");
  const auto some = candidates({"-n", "team", "sus"});
  EXPECT_THAT(some, ElementsAre(StartsWith("suspend\t"), ":4"));
}

TEST(Completion, OfAFlagOffersTheVerbsAndTheClusters) {
  EXPECT_THAT(candidates({"logs", "--ta"}), ElementsAre(StartsWith("--tail\t"), ":4"));
  EXPECT_THAT(candidates({"logs", "--conte"}), ElementsAre(StartsWith("--context\t"), ":4"));
  EXPECT_THAT(candidates({"logs", "--he"}), ElementsAre(StartsWith("--help\t"), ":4"));
  EXPECT_THAT(candidates({"--ta"}), ElementsAre(":4"));
  EXPECT_THAT(candidates({"logs", "-"}), Not(Contains(StartsWith("--output"))));
}

TEST(Completion, OfAValueOffersWhatIsKnown) {
  for (const auto& words : std::vector<std::vector<const char*>>{
           {"check", "-o", ""}, {"check", "--output", "j"}, {"check", "--output=j"}}) {
    EXPECT_THAT(candidates(words), ElementsAre("json", ":4"));
  }
  EXPECT_THAT(candidates({"logs", "--tail", ""}), ElementsAre(":4"));
  EXPECT_THAT(candidates({"scale", "x", ""}), ElementsAre(":4"));
}

TEST(Completion, LeavesFilesToTheShell) {
  for (const auto& words :
       std::vector<std::vector<const char*>>{{"check", "-f", ""},
                                             {"check", "--filename=a"},
                                             {"--kubeconfig", "a"},
                                             {"run", ""},
                                             {"submit", "--image", "i", "jo"}}) {
    EXPECT_THAT(candidates(words), ElementsAre(":0"));
  }
}

TEST(Completion, OffersNothingForACommandInAPod) {
  EXPECT_THAT(candidates({"exec", "x", "--", "-"}), ElementsAre(":4"));
  EXPECT_THAT(candidates({"exec", "x", "--", ""}), ElementsAre(":4"));
  EXPECT_THAT(candidates({"run", "job.sh", "-"}), ElementsAre(":4"));
}

Completion complete_words(const std::vector<const char*>& words) {
  CLI::App app;
  ClusterFlags flags;
  app.add_option("--context", flags.context);
  app.add_option("-n,--namespace", flags.ns);
  const std::vector<std::string> command;
  Verb chosen;
  const CommandLine line{.app = app, .command = command, .chosen = chosen};
  add_logs(line);
  add_exec(line);
  add_change(line);
  return complete(app, {words.begin(), words.end()});
}

struct NameCase {
  std::vector<const char*> words;
  Wanted wanted;
  std::string partial, context, ns;
};

TEST(Completion, KnowsWhereANameOfTheClusterStands) {
  for (const NameCase& each : std::vector<NameCase>{
           {{"logs", "x"}, Wanted::MiniClusters, "x", "", ""},
           {{"--context", "c", "logs", "--all", "-n=team", ""},
            Wanted::MiniClusters,
            "",
            "c",
            "team"},
           {{"delete", "--wait", "a"}, Wanted::MiniClusters, "a", "", ""},
           {{"-nteam", "shell", "--rank", "3", ""}, Wanted::MiniClusters, "", "", "team"},
           {{"logs", "x", ""}, Wanted::Words, "", "", ""},
           {{"logs", "-n", "te"}, Wanted::Namespaces, "te", "", ""},
           {{"logs", "--namespace=te"}, Wanted::Namespaces, "te", "", ""},
           {{"--context", "c"}, Wanted::Contexts, "c", "", ""},
       }) {
    const Completion found = complete_words(each.words);
    EXPECT_EQ(found.wanted, each.wanted);
    EXPECT_EQ(found.partial, each.partial);
    EXPECT_EQ(found.cluster.context, each.context);
    EXPECT_EQ(found.cluster.ns, each.ns);
  }
}

}  // namespace
}  // namespace mc::kubectl
