#pragma once
#include <functional>
#include <string>
#include <vector>

#include "services/kubectl-minicluster/client/kubectl.h"
#include "services/kubectl-minicluster/client/terminal.h"
#include "services/kubectl-minicluster/view/script.h"
#include "services/kubectl-minicluster/view/table.h"

namespace CLI {
class App;
}

namespace mc::kubectl {

// What a verb needs in addition to its own flags.
struct Context {
  ClusterFlags cluster;
  Terminal terminal;
};

// A verb with its flags; returns the exit code.
using Verb = std::function<int(const Context&)>;

// The command line while verbs are added to it.
struct CommandLine {
  CLI::App& app;
  // What follows `--`: a command, which is never read as flags. With a script, its arguments.
  const std::vector<std::string>& command;
  // The verb that the command line names.
  Verb& chosen;
  // A local file that is the command of `run` or `submit`; null without one.
  const Script* script = nullptr;
};

// Adds a verb. `examples` are the lines of its help that begin with `kubectl minicluster`.
CLI::App& add_verb(const CommandLine& line, const char* name, const char* help,
                   const std::vector<std::string>& examples);

// Adds the required argument NAME.
void add_name(CLI::App& verb, std::string& name);

// The verb does this if the command line names it.
void on_choice(const CommandLine& line, CLI::App& verb, Verb act);

// Of standard output.
Layout layout_of(const Terminal& terminal);

// Prints the lines, and returns the exit code.
int print_lines(const std::vector<std::string>& lines, const Terminal& terminal);

// Every verb, in the order of the help.
void add_run(const CommandLine& line);
void add_submit(const CommandLine& line);
void add_attach(const CommandLine& line);
void add_wait(const CommandLine& line);
void add_get(const CommandLine& line);
void add_history(const CommandLine& line);
void add_queue(const CommandLine& line);
void add_account(const CommandLine& line);
void add_explain(const CommandLine& line);
void add_logs(const CommandLine& line);
void add_exec(const CommandLine& line);              // exec, flux, jobs, top, shell
void add_change(const CommandLine& line);            // suspend, resume, scale, delete, cancel
void add_check_and_render(const CommandLine& line);  // check, render

}  // namespace mc::kubectl
