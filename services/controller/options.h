#pragma once
#include <string>
#include <vector>

namespace mc::controller {

// What the command line says; flags are named as in the ecosystem's other controllers.
struct Options {
  enum class Command { Run, Render } command = Command::Run;

  std::string kubeconfig;  // empty: see kube::load_config
  std::string metrics_bind_address = ":8080";
  int workers = 4;
  int verbosity = 0;

  std::vector<std::string> files;  // of render; "-" is standard input
  bool with_secrets = false;
};

struct Parsed {
  Options options;
  // Set when there is nothing to run: --help, --version or a mistake; `text` is to be printed
  // (to standard error unless `exit_code` is 0).
  bool done = false;
  int exit_code = 0;
  std::string text;
};

Parsed parse_options(int argc, const char* const* argv);

}  // namespace mc::controller
