#include "tests/flux_stand_in/commands.h"

#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <optional>

#include "tests/flux_stand_in/tasks.h"

namespace mc::stand_in {
namespace {

Words tail(const Words& words, std::size_t from) {
  return {words.begin() + static_cast<std::ptrdiff_t>(std::min(from, words.size())), words.end()};
}

// Connects to the broker that FLUX_URI names.
std::optional<Connection> open_broker(const std::string& name) {
  const char* const uri = getenv("FLUX_URI");
  auto out = Connection::open(uri == nullptr ? "local:///run/flux/local" : uri);
  if (out) return std::move(*out);
  failed(name, "ERROR: Unable to connect to Flux: " + out.error().message);
  return std::nullopt;
}

// Sends one request and returns the answer. Prints an error of the broker.
std::optional<json> ask(const std::string& name, const json& request) {
  auto broker = open_broker(name);
  if (!broker) return std::nullopt;
  broker->send(request);
  auto answer = broker->receive();
  if (answer && !answer->contains("error")) return answer;
  failed(name, answer ? answer->value("error", "") : "the broker has gone");
  return std::nullopt;
}

// Prints the output of a job until its end; returns its exit code.
int follow(const std::string& name, const json& request, bool quiet = false) {
  auto broker = open_broker(name);
  if (!broker) return 1;
  broker->send(request);
  while (const auto event = broker->receive()) {
    if (event->contains("error")) return failed(name, event->value("error", ""));
    if (event->contains("code")) return event->at("code");
    if (quiet) continue;
    const std::string data = event->at("data");
    std::FILE* const out = event->value("stream", 1) == 1 ? stdout : stderr;
    std::fwrite(data.data(), 1, data.size(), out);
    std::fflush(out);
  }
  return failed(name, "ERROR: the broker has gone");
}

json request_of(const char* what, const Words& command) {
  return {{"op", what},
          {"argv", command},
          {"env", own_environment()},
          {"cwd", std::filesystem::current_path().string()}};
}

int unrecognized(const std::string& name, const std::string& option) {
  std::cerr << "flux " << name << ": error: unrecognized arguments: " << option << std::endl;
  return 2;
}

// Only the options -N and -n have an effect. One-letter options in kWithValue take a value, in the
// same word or the next.
int submit_as(const std::string& name, const Words& words, bool show_id, bool watch) {
  constexpr std::string_view kWithValue = "NncgtqBoS";
  std::size_t nodes = 0, tasks = 0, at = 0;
  for (; at < words.size() && words[at].starts_with('-'); ++at) {
    const std::string& word = words[at];
    if (name == "run" && word == "--watch") return unrecognized(name, word);
    show_id &= word != "--quiet";
    watch |= word == "--watch";
    if (word.size() < 2 || !kWithValue.contains(word[1])) continue;
    const std::string value = word.size() > 2 ? word.substr(2) : words.at(++at);
    if (word[1] == 'N') nodes = std::stoul(value);
    if (word[1] == 'n') tasks = std::stoul(value);
  }
  const Words command = tail(words, at);
  if (command.empty()) return failed(name, "ERROR: job command and arguments are missing");
  json request = request_of("submit", command);
  request.update({{"nodes", nodes}, {"tasks", tasks > 0 ? tasks : std::max(nodes, 1UL)}});
  const auto answer = ask(name, request);
  if (!answer) return 1;
  if (show_id) std::cout << answer->at("id").get<std::string>() << std::endl;
  return watch ? follow(name, {{"op", "attach"}, {"id", answer->at("id")}}) : 0;
}

int event_log(const std::string& id) {
  const auto answer = ask("job", {{"op", "state"}, {"id", id}});
  if (!answer) return 1;
  std::cout << "submit\n" << (answer->at("done").get<bool>() ? "finish\n" : "");
  return 0;
}

int status(const Words& ids, bool report) {
  int worst = 0;
  for (const std::string& id : ids) {
    if (!ask("job", {{"op", "state"}, {"id", id}})) return 1;
    worst = std::max(worst, follow("job", {{"op", "attach"}, {"id", id}}, true));
  }
  if (report) std::cout << "{}" << std::endl;
  return worst;
}

}  // namespace

int failed(const std::string& name, const std::string& why) {
  std::cerr << "flux-" << name << ": " << why << std::endl;
  return 1;
}

int become(const std::string& name, Words words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  execvp(pointers[0], pointers.data());
  return failed(name, words[0] + ": " + std::strerror(errno));
}

int submit(const Words& words) { return submit_as("submit", words, true, false); }
int run(const Words& words) { return submit_as("run", words, false, true); }

int exec_on_ranks(const Words& words) {
  if (words.size() < 4 || words[0] != "-n" || words[1] != "-r" || words[2] != "all") {
    return failed("exec", "usage: flux exec -n -r all COMMAND...");
  }
  return follow("exec", request_of("exec", tail(words, 3)));
}

int job(const Words& words) {
  const std::string what = words.empty() ? "" : words[0];
  Words ids = tail(words, 1);
  const bool report = std::ranges::count(ids, "--json") > 0;
  std::erase_if(ids, [](const std::string& word) { return word.starts_with('-'); });
  if (ids.empty()) return failed("job", "usage: flux job attach|eventlog|status ID");
  if (what == "attach") return follow("job", {{"op", "attach"}, {"id", ids[0]}});
  if (what == "eventlog") return event_log(ids[0]);
  if (what == "status") return status(ids, report);
  return failed("job", what + ": unknown command");
}

int getattr(const Words& words) {
  const auto answer = ask("getattr", {{"op", "getattr"}, {"name", words.empty() ? "" : words[0]}});
  if (!answer) return 1;
  std::cout << answer->at("value").get<std::string>() << std::endl;
  return 0;
}

// The words form one shell command, as with ssh(1).
int proxy(const Words& words) {
  if (words.empty()) return failed("proxy", "usage: flux proxy URI [COMMAND...]");
  setenv("FLUX_URI", words[0].c_str(), 1);
  if (!open_broker("proxy")) return 1;
  const char* const shell = getenv("SHELL");
  Words command = {shell == nullptr ? "/bin/sh" : shell};
  if (words.size() > 1) {
    std::string line;
    for (const std::string& word : tail(words, 1)) line += (line.empty() ? "" : " ") + word;
    command.insert(command.end(), {"-c", line});
  }
  return become("proxy", command);
}

}  // namespace mc::stand_in
