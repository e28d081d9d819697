#include "services/kubectl-minicluster/app/walk.h"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "services/kubectl-minicluster/verbs/verb.h"

namespace mc::kubectl {
namespace {

// A letter for what each word is.
std::string kinds_of(const std::vector<std::string>& words) {
  CLI::App app;
  std::string ns;
  app.add_option("-n,--namespace", ns);
  const std::vector<std::string> command;
  Verb chosen;
  const CommandLine line{.app = app, .command = command, .chosen = chosen};
  add_run(line);
  add_logs(line);
  Walk walk(app);
  std::string out;
  for (const std::string& word : words)
    out += "FVvPSDC"[static_cast<std::size_t>(walk.take(word).kind)];
  return out;
}

TEST(Walk, KnowsWhatEachWordIs) {
  struct Case {
    std::vector<std::string> words;
    const char* kinds;
  };
  // F: a flag, V: a value, v: a verb, P: positional, S: a script, D: `--`, C: of a command.
  for (const auto& [words, kinds] : std::vector<Case>{
           {{"-n", "team", "run", "x", "--image=a.b/c:1", "--", "-N", "x.sh"}, "FVvPFDCC"},
           {{"run", "--image", "a.b/c:1", "job.sh", "-N", "--", "run"}, "vFVSCCC"},
           {{"run", "x", "./job", "y"}, "vPSC"},
           {{"run", "-D", "/data", "-D/data", "-D=/data", "--chdir=/data", "job.sh"}, "vFVFFFS"},
           {{"run", "-lN", "4.5", "-lN4", "-l", "job.sh"}, "vFVFFS"},
           {{"run", "--env", "a.b", "job.sh"}, "vFVS"},
           {{"run", "-f", "-", "job.sh"}, "vFVS"},
           {{"run", "--unknown", "job.sh"}, "vFS"},
           {{"logs", "a.b", "c"}, "vPP"},
           {{"a.b", "run"}, "Pv"},
       }) {
    EXPECT_EQ(kinds_of(words), kinds) << words.back();
  }
}

}  // namespace
}  // namespace mc::kubectl
