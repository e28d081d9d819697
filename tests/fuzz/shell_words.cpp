#include <unistd.h>

#include <algorithm>
#include <string>
#include <vector>

#include "common/base/digest.h"
#include "common/base/shell.h"
#include "tests/fuzz/targets.h"
#include "tests/pods/pod_command.h"
#include "tests/support/process.h"

namespace mc::fuzz {
namespace {

using test::Outcome;

constexpr const char* kEnd = "the-end";

std::string without_nul(std::string_view input) {
  std::string text(input);
  std::erase(text, '\0');
  return text;
}

// A shell that cannot create files or start programs, in case a value escapes its word.
Outcome confined(const char* shell, const std::string& script) {
  std::vector<std::string> command = {
      "/usr/bin/prlimit", "--nproc=0", "--fsize=4194304", shell, "-c", script};
  if (geteuid() == 0) {
    command.insert(command.begin(),
                   {"/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"});
  }
  return test::run(command,
                   {.input = "", .environment = {{"PATH", "/nonexistent"}, {"LC_ALL", "C"}}});
}

// A script with `set --`, as the entry points evaluate a command, that prints each word and kEnd.
std::string told(const std::string& words) {
  return "cd /\nset -f\nset -- " + words + " " + kEnd + "\nprintf '[%s]' \"$@\"";
}

// A substitution contains the user's own code, which must not run here.
bool has_substitution(std::string_view text) { return text.contains('$') || text.contains('`'); }

void ask_shells(const std::string& text, const std::string& words) {
  for (const char* shell : {"/bin/dash", "/bin/bash"}) {
    const Outcome quoted = confined(shell, "printf %s " + shell_quote(text));
    require(quoted.code == 0 && quoted.out == text && quoted.err.empty(),
            std::string(shell) + " reads a quoted value as it is");
    if (has_substitution(text)) continue;
    const Outcome read = confined(shell, told(words));
    require(read.code == 0 && read.err.empty() && read.out.ends_with("[the-end]"),
            std::string(shell) + " reads words: " + read.err);
  }
}

// Removes the quotes of a value without a shell, and checks that they are balanced.
std::string unquoted(std::string_view quoted) {
  std::string out;
  while (!quoted.empty()) {
    if (quoted.starts_with("\\'")) {
      out += '\'';
      quoted.remove_prefix(2);
      continue;
    }
    require(quoted.starts_with('\''), "a quoted value is made of quotes");
    const std::size_t end = quoted.find('\'', 1);
    require(end != quoted.npos, "every quote has an end");
    out += quoted.substr(1, end - 1);
    quoted.remove_prefix(end + 1);
  }
  return out;
}

}  // namespace

void shell_words(std::string_view input) {
  const std::string text = without_nul(input);
  require(unquoted(shell_quote(input)) == text, "a quoted value is the value");
  require(pods::expanded(without_expansion(input), {}) == input, "kubelet expands nothing");
  const ShellWords words = mc::shell_words(input);
  require(words.text.size() <= 2 * text.size(), "at most a backslash for each character");
  require(mc::shell_words(input).text == words.text, "the same each time");
  // Starting shells is the slowest part.
  static const bool always = replaying();
  const bool fits = text.size() < 30'000;  // quoted, in one argument
  if (fits && (always || fnv1a_hex(text).starts_with("00"))) ask_shells(text, words.text);
}

}  // namespace mc::fuzz
