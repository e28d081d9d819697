#include "services/kubectl-minicluster/view/script.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include "common/base/shell.h"
#include "common/base/text.h"

namespace mc::kubectl {
namespace {

constexpr std::string_view kBlanks = " \t\r\v\f";

// The next line, which is removed from `text`.
std::string_view take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(text.size(), line.size() + 1));
  return line;
}

std::string_view first_word(std::string_view line) {
  line = trimmed(line, kBlanks);
  return line.substr(0, line.find_first_of(kBlanks));
}

template <std::size_t Size>
bool is_one_of(const std::array<std::string_view, Size>& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

bool is_blank(char c) { return kBlanks.contains(c); }

bool is_command(std::string_view line) {
  const std::string_view word = first_word(line);
  return !word.empty() && !word.starts_with('#');
}

// What follows `#SBATCH`, also without a blank between. Nothing for another line.
std::optional<std::string_view> options_of_slurm(std::string_view line) {
  constexpr std::string_view kSlurm = "#SBATCH";
  if (!line.starts_with(kSlurm)) return std::nullopt;
  line.remove_prefix(kSlurm.size());
  const bool is_one = line.empty() || is_blank(line.front()) || line.front() == '-';
  return is_one ? std::optional(line) : std::nullopt;
}

// What follows `#flux:`, also with blanks before the name. Nothing for another line.
std::optional<std::string_view> options_of_flux(std::string_view line) {
  if (!line.starts_with('#')) return std::nullopt;
  line.remove_prefix(1);
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  for (const std::string_view tag : {"flux:", "FLUX:"}) {
    if (line.starts_with(tag)) return line.substr(tag.size());
  }
  return std::nullopt;
}

// The word that ends the here-document which the line opens; empty: it opens none.
std::string_view end_of_here_document(std::string_view line) {
  const std::size_t at = line.find("<<");
  if (at == std::string_view::npos || line.substr(at).starts_with("<<<")) return {};
  line.remove_prefix(at + 2);
  line.remove_prefix(std::min(line.find_first_not_of("- \t\\'\""), line.size()));
  return line.substr(0, line.find_first_of(" \t\r'\";|&()<>"));
}

// Without the tabs that `<<-` removes, and the end that an editor on Windows writes.
std::string_view without_margin(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of('\t'), line.size()));
  return line.ends_with('\r') ? line.substr(0, line.size() - 1) : line;
}

// Reads a script line by line.
class ScriptReader {
 public:
  explicit ScriptReader(std::string_view text) : rest_(text) {}

  // Nothing at the end.
  std::optional<std::string_view> next() {
    if (rest_.empty()) return std::nullopt;
    ++number_;
    return take_line(rest_);
  }
  std::size_t number() const { return number_; }  // of the last line, from 1

  // Passes over the here-document that `line`, the last one, opens. What has no end is none: `<<`
  // also shifts bits. After one such line no other is looked for, so that the time stays linear.
  void skip_here_document(std::string_view line) {
    const std::string_view end = has_shifts_ ? "" : end_of_here_document(line);
    if (end.empty()) return;
    std::string_view rest = rest_;
    for (std::size_t number = number_ + 1; !rest.empty(); ++number) {
      if (without_margin(take_line(rest)) != end) continue;
      number_ = number;
      rest_ = rest;
      return;
    }
    has_shifts_ = true;
  }

 private:
  std::string_view rest_;
  std::size_t number_ = 0;
  bool has_shifts_ = false;
};

// As flux batch.
ScriptMistake late_flux(std::size_t line, std::size_t command) {
  return {line, "the #flux: lines have a command between them, in line " + std::to_string(command)};
}

// Splits a line of options into words.
class WordReader {
 public:
  explicit WordReader(std::string_view line) : rest_(line) {}

  // Nothing at the end, or if a quote is not closed.
  std::optional<std::string> next() {
    while (!rest_.empty() && is_blank(rest_.front())) rest_.remove_prefix(1);
    if (rest_.empty() || rest_.front() == '#') return std::nullopt;
    std::string word;
    while (!rest_.empty() && (quote_ != 0 || !ends_word(rest_.front()))) add(take(), word);
    return quote_ != 0 ? std::nullopt : std::optional(std::move(word));
  }

  bool is_unclosed() const { return quote_ != 0; }

 private:
  // A # begins a comment also within a word, for sbatch and for flux batch.
  static bool ends_word(char c) { return is_blank(c) || c == '#'; }

  char take() {
    const char c = rest_.front();
    rest_.remove_prefix(1);
    return c;
  }

  void add(char c, std::string& word) {
    if (quote_ == 0 && (c == '"' || c == '\'')) {
      quote_ = c;
    } else if (quote_ != 0 && c == quote_) {
      quote_ = 0;
    } else if (c == '\\' && !rest_.empty() && takes_next(rest_.front())) {
      word += take();
    } else {
      word += c;
    }
  }

  // Whether a backslash makes the next character literal.
  bool takes_next(char next) const {
    if (quote_ == '\'') return false;
    return quote_ == 0 || next == '"' || next == '\\';
  }

  std::string_view rest_;
  char quote_ = 0;  // the open one
};

// Whether the shell that runs scripts in the pods, bash or sh, does what the first line asks for.
bool is_for_shell(std::string_view text) {
  if (!text.starts_with("#!")) return true;
  std::string_view line = take_line(text).substr(2);
  std::string_view program = first_word(line);
  line = trimmed(line, kBlanks).substr(program.size());
  if (program.ends_with("/env")) {
    program = first_word(line);
    line = trimmed(line, kBlanks).substr(program.size());
  }
  constexpr std::array<std::string_view, 3> kShells = {"sh", "bash", "dash"};
  return trimmed(line, kBlanks).empty() &&
         is_one_of(kShells, program.substr(program.rfind('/') + 1));
}

// A delimiter of a here-document for the text.
std::string delimiter_for(std::string_view text) {
  const std::string word = "END_OF_SCRIPT";
  std::string out = word;
  for (int i = 2; text.contains(out); ++i) out = word + "_" + std::to_string(i);
  return out;
}

// Runs the script by its own first line. A signal ends this shell at once, as it would end the
// script: then the folder goes with the container.
std::string in_a_file(const Script& script) {
  const std::string end = delimiter_for(script.text);
  const std::string name = std::filesystem::path(script.file).filename();
  const std::string file = "\"$script_folder\"/" + shell_quote(name);
  return "#!/bin/sh\n"
         "script_folder=$(mktemp -d) || exit\n"
         "trap 'rm -rf \"$script_folder\"' EXIT\n"
         "cat >" +
         file + " <<'" + end + "' || exit\n" + script.text +
         (script.text.ends_with('\n') ? "" : "\n") + end +
         "\n"
         "chmod +x " +
         file + " || exit\n" + file + " \"$@\"\n";
}

std::string with_arguments(std::string text, const std::vector<std::string>& arguments) {
  if (arguments.empty()) return text;
  std::string line = "set --";
  for (const std::string& argument : arguments) line += " " + shell_quote(argument);
  line += '\n';
  if (!text.starts_with("#!")) return line + text;
  if (!text.contains('\n')) text += '\n';
  return text.insert(text.find('\n') + 1, line);
}

}  // namespace

bool names_script(std::string_view word) { return word.find_first_of("./") != word.npos; }

std::string why_no_script(std::string_view bytes) {
  if (trimmed(bytes).empty()) return "the file is empty";
  if (bytes.contains('\0')) return "the file is not text: it has NUL bytes";
  if (!is_utf8(bytes)) return "the file is not text in UTF-8";
  return "";
}

std::string title_of(const Script& script) { return std::filesystem::path(script.file).stem(); }

std::expected<std::vector<ScriptDirective>, ScriptMistake> directives_of(std::string_view text) {
  std::vector<ScriptDirective> out;
  bool has_command = false, has_flux = false;
  std::size_t end_of_flux = 0;  // the command after its lines
  ScriptReader script(text);
  while (const auto line = script.next()) {
    const std::size_t number = script.number();
    if (is_command(*line)) {
      has_command = true;
      if (has_flux && end_of_flux == 0) end_of_flux = number;
      // It may hold another script, for flux batch to run.
      if (!has_flux) script.skip_here_document(*line);
      continue;
    }
    const auto of_flux = options_of_flux(*line);
    if (of_flux && end_of_flux != 0) return std::unexpected(late_flux(number, end_of_flux));
    has_flux = has_flux || of_flux;
    const auto options = of_flux || has_command ? of_flux : options_of_slurm(*line);
    if (!options) continue;
    WordReader words(*options);
    ScriptDirective& directive = out.emplace_back(number);
    while (auto next = words.next()) directive.words.push_back(*std::move(next));
    if (words.is_unclosed()) return std::unexpected(ScriptMistake{number, "a quote is not closed"});
  }
  return out;
}

std::optional<std::size_t> ignored_directive_in(std::string_view text) {
  bool has_command = false;
  ScriptReader script(text);
  while (const auto line = script.next()) {
    if (is_command(*line)) {
      has_command = true;
      script.skip_here_document(*line);
    } else if (has_command && options_of_slurm(*line)) {
      return script.number();
    }
  }
  return std::nullopt;
}

bool is_batch(const Script& script) {
  const auto directives = directives_of(script.text);
  return !directives || !directives->empty();
}

std::string runnable(const Script& script, const std::vector<std::string>& arguments) {
  return with_arguments(is_for_shell(script.text) ? script.text : in_a_file(script), arguments);
}

std::optional<ForeignLaunch> foreign_launch_in(std::string_view text) {
  constexpr std::array<std::string_view, 3> kPrograms = {"srun", "mpirun", "mpiexec"};
  ScriptReader script(text);
  while (const auto line = script.next()) {
    const std::string_view word = first_word(*line);
    if (is_one_of(kPrograms, word)) return ForeignLaunch{script.number(), std::string(word)};
    if (is_command(*line)) script.skip_here_document(*line);
  }
  return std::nullopt;
}

}  // namespace mc::kubectl
