#pragma once
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "services/kubectl-minicluster/client/kubectl.h"
#include "tests/support/folders.h"
#include "tests/support/must.h"
#include "tests/support/temporary_folder.h"

namespace mc::kubectl {

// A `kubectl` that is a shell script, which runs in a folder of its own and gets the number of its
// run as $run.
class KubectlScript {
 public:
  // `before` is at the beginning of every script.
  explicit KubectlScript(std::string before = "") : before_(std::move(before)) { set(":"); }

  void set(const std::string& lines) const {
    const auto file = path("kubectl");
    std::ofstream(file) << "#!/bin/sh\ncd " << folder_.path().string()
                        << "\necho \"$*\" >>runs\nrun=$(wc -l <runs)\n"
                        << before_ << "\n"
                        << lines << "\n";
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
  }

  Kubectl program() const {
    const std::string before = std::getenv("PATH");
    ::setenv("PATH", folder_.path().c_str(), 1);
    auto found = test::must(Kubectl::find({}));
    ::setenv("PATH", before.c_str(), 1);
    return found;
  }

  std::filesystem::path path(const std::string& name) const { return folder_.path() / name; }
  std::string text(const std::string& name) const { return test::text_of(path(name)); }
  // The arguments of each run.
  std::vector<std::string> runs() const { return test::lines_of(text("runs")); }

 private:
  const std::string before_;
  const test::TemporaryFolder folder_;
};

}  // namespace mc::kubectl
