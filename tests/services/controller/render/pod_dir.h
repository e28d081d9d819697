#pragma once
#include <filesystem>
#include <map>
#include <string>

#include "common/api/model/minicluster.h"
#include "tests/support/process.h"
#include "tests/support/temporary_folder.h"

// Runs the entry points of a MiniCluster's pod in a temporary folder, with fake_flux.sh as flux.
namespace mc::test {

// Runs `script` with sh. After 20 s, kills it and the processes that it started (code 124).
Outcome run_shell(const std::string& script, const std::map<std::string, std::string>& environment);

std::string read_file(const std::filesystem::path& path);

// One pod: /flux_operator from its ConfigMap and Secret, and the volume of the Flux view. Programs:
// some that every image has, fake_flux.sh, and optionally bash.
class PodDir {
 public:
  explicit PodDir(api::MiniCluster cluster, bool with_bash = true);

  // Runs shell text with $operator and $mount set, as the broker of `index`.
  Outcome run(const std::string& script, int index = 0) const;
  // flux-init.sh, then wait-0.sh.
  Outcome run_broker(int index = 0) const;

  // The calls of flux: one line per call, each word in brackets.
  std::string calls() const;
  std::filesystem::path file(const std::string& below) const { return root_ / below; }

 private:
  TemporaryFolder root_;
};

}  // namespace mc::test
