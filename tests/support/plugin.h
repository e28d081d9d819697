#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/kubectl.h"
#include "tests/support/process.h"
#include "tests/support/temporary_folder.h"

namespace mc::test {

// kubectl-minicluster in a namespace, with a folder for its temporary files that tells what it
// leaves behind.
class Plugin {
 public:
  explicit Plugin(const Kubectl& kubectl) : kubectl_(kubectl) {}

  // kubectl itself, except that `kubectl VERB` is this shell script: simulated nodes have no
  // containers.
  void with(const std::string& verb, const std::string& script) const;

  // The program with its first flags, and `arguments`.
  std::vector<std::string> command(const std::vector<std::string>& arguments) const;
  // The same as words of a shell.
  std::string shell_line(const std::vector<std::string>& arguments) const;
  ProcessOptions options() const;

  std::unique_ptr<Process> start(const std::vector<std::string>& arguments) const {
    return std::make_unique<Process>(command(arguments), options());
  }
  Outcome operator()(const std::vector<std::string>& arguments,
                     std::chrono::seconds limit = std::chrono::seconds(60)) const {
    return run(command(arguments), options(), limit);
  }

  // The processes that it has started and that still exist, and its temporary files.
  std::vector<std::string> left() const;

  // Waits until nothing is left.
  [[nodiscard]] bool leaves_nothing() const;

 private:
  std::filesystem::path bin() const { return folder_.path() / "bin"; }
  std::filesystem::path temporary() const { return folder_.path() / "tmp"; }

  const Kubectl& kubectl_;
  const TemporaryFolder folder_;
};

}  // namespace mc::test
