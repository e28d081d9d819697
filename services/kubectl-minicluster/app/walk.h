#pragma once
#include <string>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace mc::kubectl {

// A command line, word by word, as CLI11 would read it but without effects: for what must know
// where a word stands before everything is read, or without an end.
class Walk {
 public:
  enum class Kind {
    Flag,        // perhaps with its value, as in --name=x
    Value,       // of the flag before
    VerbName,    // the first positional word that names one
    Positional,  // any other
    Script,      // a local file in place of a command: all later words are its arguments
    Dashes,      // `--`: all later words are a command
    Command,     // a word after one of the last two
  };
  struct Step {
    Kind kind;
    const CLI::Option* option = nullptr;  // which has got this value
    std::string value = {};
  };

  explicit Walk(const CLI::App& root) : root_(root), app_(&root) {}

  Step take(const std::string& word);

  // The verb's, or the root's without a verb.
  const CLI::App& app() const { return *app_; }
  // The flag whose value is the next word; null if none is.
  const CLI::Option* awaiting() const { return awaiting_; }
  bool is_in_command() const { return is_in_command_; }
  int positionals() const { return positionals_; }  // after the verb

  // The flag with that name: of the verb if it has one, otherwise of the root. Null if neither has.
  const CLI::Option* option(const std::string& name) const;

 private:
  Step take_flag(const std::string& word);
  const CLI::App* verb_named(const std::string& word) const;

  const CLI::App& root_;
  const CLI::App* app_;
  const CLI::Option* awaiting_ = nullptr;
  bool is_in_command_ = false;
  int positionals_ = 0;
};

// Whether a verb takes a local script: it has the argument SCRIPT.
bool takes_script(const CLI::App& verb);

}  // namespace mc::kubectl
