#pragma once
#include <cstddef>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// A local script as the command of `run` and `submit`.
namespace mc::kubectl {

struct Script {
  std::string file = {};  // as the user named it
  std::string text = {};
};

// Whether a word on the command line is a file: no name of a MiniCluster has a `.` or a `/`.
bool names_script(std::string_view word);

// Why a file with these bytes is no script, as the rest of a sentence about it; "": it is one.
std::string why_no_script(std::string_view bytes);

// The file's name without its folders and its suffix.
std::string title_of(const Script& script);

// A line `#SBATCH OPTIONS` or `#flux: OPTIONS`, as sbatch and flux-batch(1) read them.
struct ScriptDirective {
  std::size_t line = 1;
  std::vector<std::string> words = {};
};

struct ScriptMistake {
  std::size_t line = 1;
  std::string why;
};

// The `#SBATCH` lines before the first command, which is a line that is neither blank nor a
// comment, and all `#flux:` lines, between which there must be no command. Words are split as a
// shell splits them, without expansions; a word that begins with # begins a comment.
[[nodiscard]] std::expected<std::vector<ScriptDirective>, ScriptMistake> directives_of(
    std::string_view text);

// The number of the first `#SBATCH` line that has no effect, because it follows a command.
std::optional<std::size_t> ignored_directive_in(std::string_view text);

// A script with directives runs once and starts its tasks itself; any other one is each task.
bool is_batch(const Script& script);

// The text for spec.containers[].commands.script, which a POSIX shell runs without arguments: the
// script with its arguments set. A script for anything else is written to a file in the pod, which
// is run and removed.
std::string runnable(const Script& script, const std::vector<std::string>& arguments);

// The first line that begins with a program which starts tasks elsewhere: srun, mpirun, mpiexec.
struct ForeignLaunch {
  std::size_t line = 1;
  std::string program;
};
std::optional<ForeignLaunch> foreign_launch_in(std::string_view text);

}  // namespace mc::kubectl
