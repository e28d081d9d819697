#include "services/kubectl-minicluster/verbs/verb.h"

#include <CLI/CLI.hpp>
#include <ostream>
#include <utility>

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

void on_choice(const CommandLine& line, CLI::App& verb, Verb act) {
  verb.callback([act = std::move(act), &chosen = line.chosen] { chosen = act; });
}

Layout layout_of(const Terminal& terminal) {
  Layout layout;
  if (!terminal.out_is_terminal) return layout;
  layout.columns = static_cast<std::size_t>(terminal.columns);
  layout.colours = terminal.colours;
  return layout;
}

int print_lines(const std::vector<std::string>& lines, const Terminal& terminal) {
  for (const std::string& line : lines) terminal.out << line << "\n";
  terminal.out.flush();
  return terminal.out ? 0 : report_broken_output(terminal);
}

}  // namespace mc::kubectl
