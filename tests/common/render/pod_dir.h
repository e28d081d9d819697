#pragma once
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>

#include "common/api/model/minicluster.h"
#include "tests/support/process.h"
#include "tests/support/temporary_folder.h"

// Runs the entry points of a MiniCluster's pod in a temporary folder, with fake_flux.sh as flux.
namespace mc::test {

// Runs `script` with sh, for at most 20 s (then the code is 124), and kills the processes that it
// leaves behind.
Outcome run_shell(const std::string& script, const std::map<std::string, std::string>& environment);

// Shell texts for PodDir::run.
inline constexpr const char* kBroker =
    "[ ! -e $operator/flux-init.sh ] || sh $operator/flux-init.sh >/dev/null || exit\n"
    "exec sh $operator/wait-0.sh";
// The broker is told to end once a call of flux matches this regular expression; prints `code N`.
std::string broker_told_to_end_once_called(const std::string& call);

// Names the instances of a suite whose parameter is with_bash.
std::string shell_name(const ::testing::TestParamInfo<bool>& with_bash);

// One pod: /flux_operator from its ConfigMap and Secret, and the volume of the Flux view. Programs:
// some that every image has, fake_flux.sh, and optionally bash.
class PodDir {
 public:
  explicit PodDir(api::MiniCluster cluster, bool with_bash = true);

  // Runs shell text with $operator and $mount set, as the broker of `index`.
  Outcome run(const std::string& script, int index = 0) const;
  Outcome run_broker(int index = 0) const { return run(kBroker, index); }
  // The same. Any exit code except 0 fails the test, with the output.
  Outcome must_run(const std::string& script, int index = 0) const;
  Outcome must_run_broker(int index = 0) const { return must_run(kBroker, index); }

  // The calls of flux: one line per call, each word in brackets.
  std::string calls() const;
  void write(const std::string& below, const std::string& text) const;
  std::filesystem::path file(const std::string& below) const { return root_ / below; }

 private:
  void collect_messages(const std::string& log) const;

  TemporaryFolder root_;
};

}  // namespace mc::test
