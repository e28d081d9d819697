#include "services/kubectl-minicluster/app/walk.h"

#include <CLI/CLI.hpp>
#include <utility>

#include "services/kubectl-minicluster/view/script.h"

namespace mc::kubectl {

Walk::Step Walk::take(const std::string& word) {
  if (is_in_command_) return {Kind::Command};
  if (const CLI::Option* const flag = std::exchange(awaiting_, nullptr))
    return {Kind::Value, flag, word};
  if (word == "--") {
    is_in_command_ = true;
    return {Kind::Dashes};
  }
  if (word.size() > 1 && word.starts_with('-')) return take_flag(word);
  if (const CLI::App* const verb = verb_named(word)) {
    app_ = verb;
    return {Kind::VerbName};
  }
  if (takes_script(*app_) && names_script(word)) {
    is_in_command_ = true;
    return {Kind::Script};
  }
  ++positionals_;
  return {Kind::Positional};
}

Walk::Step Walk::take_flag(const std::string& word) {
  const auto equals = word.find('=');
  const CLI::Option* flag = option(word.substr(0, equals));
  std::string value = equals == std::string::npos ? "" : word.substr(equals + 1);
  bool has_value = equals != std::string::npos;
  // `-nteam`, and of `-lN4` the last one
  if (flag == nullptr && word[1] != '-' && word.size() > 2) {
    flag = option(word.substr(0, 2));
    value = word.substr(2);
    has_value = true;
    if (flag != nullptr && flag->get_expected_max() == 0) return take_flag("-" + value);
  }
  if (flag == nullptr || flag->get_expected_max() == 0) return {Kind::Flag};
  if (has_value) return {Kind::Flag, flag, value};
  awaiting_ = flag;
  return {Kind::Flag};
}

const CLI::Option* Walk::option(const std::string& name) const {
  const CLI::Option* const own = app_->get_option_no_throw(name);
  return own != nullptr ? own : root_.get_option_no_throw(name);
}

const CLI::App* Walk::verb_named(const std::string& word) const {
  if (app_ != &root_) return nullptr;
  for (const CLI::App* const verb : root_.get_subcommands({})) {
    if (verb->check_name(word)) return verb;
  }
  return nullptr;
}

bool takes_script(const CLI::App& verb) { return verb.get_option_no_throw("SCRIPT") != nullptr; }

}  // namespace mc::kubectl
