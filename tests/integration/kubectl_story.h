#pragma once
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "tests/integration/story.h"
#include "tests/support/listener.h"
#include "tests/support/plugin.h"
#include "tests/support/temporary_folder.h"

namespace mc::test {

// `kubectl minicluster`, found and run by kubectl itself, in the story's namespace.
class KubectlStory : public ClusterStory {
 protected:
  using Environment = std::map<std::string, std::string>;

  KubectlStory() {
    for (const char* const name : {"kubectl-minicluster", "kubectl-mc",
                                   "kubectl_complete-minicluster", "kubectl_complete-mc"}) {
      std::filesystem::create_symlink(plugin_program(), programs_ / name);
    }
  }

  // `environment` is added to the plugin's.
  ProcessOptions options(const Environment& environment = {}) const {
    ProcessOptions options = plugin_.options();
    options.environment["PATH"] = programs_.path().string() + ":" + options.environment["PATH"];
    for (const auto& [name, value] : environment) options.environment[name] = value;
    return options;
  }

  std::vector<std::string> command(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {kubectl.control_plane() / "kubectl", "minicluster",
                                         "--namespace=" + kubectl.namespace_name()});
    return arguments;
  }

  Outcome ask(const std::vector<std::string>& arguments,
              const Environment& environment = {}) const {
    return run(command(arguments), options(environment));
  }

  // Expects exit code 1, nothing on standard output, and this line on standard error.
  void expect_error(const std::vector<std::string>& arguments, const std::string& line,
                    const Environment& environment = {}) const {
    const Outcome outcome = ask(arguments, environment);
    EXPECT_EQ(outcome.code, 1) << describe(arguments, outcome);
    EXPECT_EQ(outcome.out, "");
    EXPECT_THAT(outcome.err, ::testing::MatchesRegex(line + "\n"));
  }

  // The story's own folder.
  std::filesystem::path file(const std::string& name) const { return files_ / name; }

  // A kubeconfig of the stage, changed.
  template <class Change>
  std::string kubeconfig(const std::string& name, Change change) const {
    json config = json::parse(kubectl.must({"config", "view", "--raw", "-o", "json"}));
    change(config);
    std::ofstream(file(name)) << config;
    return file(name);
  }

  const Plugin plugin_{kubectl};

 private:
  const TemporaryFolder programs_, files_;
};

// A server that accepts connections and says nothing.
class Silence {
 public:
  std::string url() const { return "https://127.0.0.1:" + std::to_string(listener_.port()); }

 private:
  const Listener listener_{16};
};

}  // namespace mc::test
