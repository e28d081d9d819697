#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <optional>

#include "tests/flux_stand_in/commands.h"
#include "tests/flux_stand_in/tasks.h"

// `flux submit`, `flux run` and `flux batch`.
namespace mc::stand_in {
namespace {

// Short options with a value, and what they are called in full.
const std::map<char, std::string> kShort = {
    {'N', "nodes"},         {'n', "ntasks"},     {'c', "cores-per-task"},
    {'g', "gpus-per-task"}, {'t', "time-limit"}, {'q', "queue"},
    {'B', "bank"},          {'o', "setopt"},     {'S', "setattr"}};
constexpr std::array<std::string_view, 9> kFlags = {
    "--quiet", "--watch", "--wait", "--exclusive", "--verbose", "--label-io", "-x", "-l", "-u"};
constexpr std::array<std::string_view, 25> kLong = {
    "nodes",      "ntasks",     "cores-per-task", "gpus-per-task", "time-limit",
    "queue",      "bank",       "setopt",         "setattr",       "env",
    "env-remove", "output",     "error",          "input",         "flags",
    "requires",   "dependency", "job-name",       "cwd",           "urgency",
    "rlimit",     "nslots",     "tasks-per-node", "begin-time",    "log"};

struct Options {
  std::map<std::string, std::string> values;
  bool quiet = false, watch = false;
  Environment environment = own_environment();
  Words command;
};

bool is_verbose(const std::string& word) {
  return word.size() > 1 && word[0] == '-' && word.find_first_not_of('v', 1) == word.npos;
}

void put(Options& out, const std::string& name, const std::string& value) {
  const std::size_t equals = value.find('=');
  if (name == "env" && equals != value.npos) {
    out.environment[value.substr(0, equals)] = value.substr(equals + 1);
  } else {
    out.values[name] = value;
  }
}

// One option that has a value; false: it is none that Flux has.
bool take_value(const Words& words, std::size_t& at, Options& out) {
  const std::string& word = words[at];
  if (!word.starts_with("--")) {
    const auto known = kShort.find(word[1]);
    if (known == kShort.end()) return false;
    if (word.size() == 2 && at + 1 >= words.size()) return false;
    put(out, known->second, word.size() > 2 ? word.substr(2) : words[++at]);
    return true;
  }
  const std::size_t equals = std::min(word.find('='), word.size());
  const std::string name = word.substr(2, equals - 2);
  if (std::ranges::count(kLong, name) == 0) return false;
  if (equals == word.size() && at + 1 >= words.size()) return false;
  put(out, name, equals < word.size() ? word.substr(equals + 1) : words[++at]);
  return true;
}

std::optional<Options> parse(const std::string& name, const Words& words) {
  Options out;
  std::size_t at = 0;
  for (; at < words.size() && words[at].starts_with('-'); ++at) {
    if (words[at] == "--") {
      ++at;
      break;
    }
    out.quiet |= words[at] == "--quiet";
    out.watch |= words[at] == "--watch" || words[at] == "--wait";
    if (is_verbose(words[at]) || std::ranges::count(kFlags, words[at]) > 0) continue;
    if (take_value(words, at, out)) continue;
    failed(name, "error: unrecognized arguments: " + words[at]);
    return std::nullopt;
  }
  out.command.assign(words.begin() + static_cast<std::ptrdiff_t>(at), words.end());
  return out;
}

std::size_t number(const Options& options, const std::string& name, std::size_t fallback) {
  const auto found = options.values.find(name);
  if (found == options.values.end()) return fallback;
  const bool digits =
      !found->second.empty() && found->second.find_first_not_of("0123456789") == std::string::npos;
  return digits ? std::stoul(found->second) : fallback;
}

json request_of(const Options& options) {
  const auto text = [&](const std::string& name) {
    const auto found = options.values.find(name);
    return found == options.values.end() ? std::string() : found->second;
  };
  const auto parent = options.environment.find("FLUX_STAND_IN_BATCH");
  const std::size_t nodes = number(options, "nodes", 0);
  const std::string cwd =
      text("cwd").empty() ? std::filesystem::current_path().string() : text("cwd");
  const auto file = [&](const std::string& name) {
    return text(name).empty() ? "" : (std::filesystem::path(cwd) / text(name)).string();
  };
  return {{"op", "submit"},
          {"argv", options.command},
          {"env", options.environment},
          {"cwd", cwd},
          {"nodes", nodes},
          {"tasks", number(options, "ntasks", std::max<std::size_t>(nodes, 1))},
          {"output", file("output")},
          {"error", file("error")},
          {"waitable", text("flags").contains("waitable")},
          {"parent", parent == options.environment.end() ? "" : parent->second}};
}

// Submits, and shows the output if asked to.
int send(const std::string& name, const json& request, bool show_id, bool watch) {
  auto broker = open_broker(name);
  if (!broker) return 1;
  broker->send(request);
  const auto answer = broker->receive();
  if (!answer || !answer->contains("id")) return failed(name, "ERROR: the broker has gone");
  const std::string id = answer->at("id");
  if (show_id) std::cout << id << std::endl;
  if (!watch) return 0;
  broker->send({{"op", "attach"}, {"id", id}});
  return follow(*broker, name);
}

// The words that a script's first line names, and the script.
Words script_command(const std::string& script) {
  std::string first;
  std::getline(std::ifstream(script), first);
  Words out;
  if (!first.starts_with("#!")) return out;
  const std::size_t from = std::min(first.find_first_not_of(' ', 2), first.size());
  const std::size_t end = std::min(first.find(' ', from), first.size());
  out.push_back(first.substr(from, end - from));
  if (end + 1 < first.size()) out.push_back(first.substr(end + 1));
  out.push_back(script);
  return out;
}

}  // namespace

int submit(const Words& words) {
  const auto options = parse("submit", words);
  if (!options) return 2;
  if (options->command.empty()) {
    return failed("submit", "ERROR: job command and arguments are missing");
  }
  return send("submit", request_of(*options), !options->quiet, options->watch);
}

int run(const Words& words) {
  const auto options = parse("run", words);
  if (!options) return 2;
  if (options->command.empty()) {
    return failed("run", "ERROR: job command and arguments are missing");
  }
  return send("run", request_of(*options), false, true);
}

int batch(const Words& words) {
  auto options = parse("batch", words);
  if (!options) return 2;
  if (options->command.empty()) return failed("batch", "ERROR: no script");
  const std::string script = options->command[0];
  Words command = script_command(script);
  if (command.empty()) return failed("batch", "ERROR: " + script + " does not begin with #!");
  command.insert(command.end(), options->command.begin() + 1, options->command.end());
  options->command = command;
  options->values.emplace("output", "flux-" + std::to_string(getpid()) + ".out");
  json request = request_of(*options);
  // The script runs once, on the first of its nodes; the instance in which it would be alone is
  // the same one here, where its jobs are kept apart by their parent.
  request.update({{"batch", true}, {"nodes", 1}, {"tasks", 1}});
  return send("batch", request, true, options->watch);
}

}  // namespace mc::stand_in
