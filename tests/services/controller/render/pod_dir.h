#pragma once
#include <filesystem>
#include <map>
#include <string>

#include "common/api/model/minicluster.h"
#include "tests/support/process.h"
#include "tests/support/temporary_folder.h"

// Runs the entry points of a MiniCluster's pod in folders of a test, with fake_flux.sh as flux.
namespace mc::test {

// `script` in sh, ended after 20 s (code 124) with what it started.
Outcome run_shell(const std::string& script, const std::map<std::string, std::string>& environment);

std::string read_file(const std::filesystem::path& path);

// One pod: /flux_operator as its ConfigMap and Secret make it, and the volume of the Flux view.
// Programs: a handful that every image has, fake_flux.sh, and bash if asked for.
class PodDir {
 public:
  explicit PodDir(api::MiniCluster cluster, bool with_bash = true);

  // Runs shell text with $operator and $mount set, as the broker of `index`.
  Outcome run(const std::string& script, int index = 0) const;
  // flux-init.sh, then wait-0.sh.
  Outcome run_broker(int index = 0) const;

  // What was handed to flux: a line per call, each word in brackets.
  std::string calls() const;
  std::filesystem::path file(const std::string& below) const { return root_ / below; }

 private:
  TemporaryFolder root_;
};

}  // namespace mc::test
