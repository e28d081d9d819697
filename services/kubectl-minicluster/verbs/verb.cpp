#include "services/kubectl-minicluster/verbs/verb.h"

#include <CLI/CLI.hpp>

namespace mc::kubectl {

CLI::App& add_verb(const CommandLine& line, const char* name, const char* help,
                   const std::vector<std::string>& examples) {
  CLI::App* const verb = line.app.add_subcommand(name, help);
  std::string footer = examples.size() == 1 ? "Example:" : "Examples:";
  for (const std::string& example : examples) footer += "\n  kubectl minicluster " + example;
  verb->footer(footer);
  verb->fallthrough();  // the cluster's flags may follow
  return *verb;
}

void add_name(CLI::App& verb, std::string& name) {
  verb.add_option("NAME", name, "Name of the MiniCluster")->required()->type_name("");
}

}  // namespace mc::kubectl
