#include "tests/flux_stand_in/commands.h"

#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <iostream>

#include "tests/flux_stand_in/tasks.h"

namespace mc::stand_in {
namespace {

constexpr int kUsage = 1;

std::string environment(const char* name) {
  const char* const value = getenv(name);
  return value == nullptr ? "" : value;
}

// One question, one answer; an error of the broker's is said.
std::optional<json> ask(const std::string& name, const json& request) {
  auto broker = open_broker(name);
  if (!broker) return std::nullopt;
  broker->send(request);
  auto answer = broker->receive();
  if (answer && !answer->contains("error")) return answer;
  failed(name, answer ? answer->value("error", "") : "the broker has gone");
  return std::nullopt;
}

json all_jobs(bool waitable) {
  return {{"op", "wait"},
          {"all", true},
          {"waitable", waitable},
          {"parent", environment("FLUX_STAND_IN_BATCH")}};
}

int status(const std::string& name, const Words& ids) {
  const auto answer = ask(name, {{"op", "wait"}, {"ids", ids}});
  return answer ? answer->at("code").get<int>() : 1;
}

int wait_for_all() {
  const auto answer = ask("job", all_jobs(true));
  if (!answer) return 1;
  for (const json& id : answer->at("failed")) {
    std::cerr << id.get<std::string>() << ": task(s) exited with non-zero exit code" << std::endl;
  }
  return answer->at("failed").empty() ? 0 : 1;
}

}  // namespace

int failed(const std::string& name, const std::string& why, int code) {
  std::cerr << "flux-" << name << ": " << why << std::endl;
  return code;
}

Result<Connection> open_broker(const std::string& name) {
  const std::string uri = environment("FLUX_URI");
  auto out = Connection::open(uri.empty() ? "local:///run/flux/local" : uri);
  if (!out) failed(name, "ERROR: Unable to connect to Flux: " + out.error().message);
  return out;
}

int follow(Connection& broker, const std::string& name) {
  while (const auto event = broker.receive()) {
    if (event->contains("error")) return failed(name, event->value("error", ""));
    if (event->contains("code")) return event->at("code");
    if (!event->contains("data")) continue;
    std::FILE* const out = event->value("stream", 1) == 1 ? stdout : stderr;
    const std::string data = event->at("data");
    std::fwrite(data.data(), 1, data.size(), out);
    std::fflush(out);
  }
  return failed(name, "ERROR: the broker has gone");
}

std::vector<std::size_t> id_set(const std::string& text) {
  std::vector<std::size_t> out;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t end = std::min(text.find(',', from), text.size());
    const std::string part = text.substr(from, end - from);
    from = end + 1;
    const std::size_t dash = std::min(part.find('-'), part.size());
    if (part.empty() || part.find_first_not_of("0123456789-") != part.npos) return {};
    const std::size_t first = std::stoul(part);
    const std::size_t last = dash < part.size() ? std::stoul(part.substr(dash + 1)) : first;
    for (std::size_t i = first; i <= last; ++i) out.push_back(i);
  }
  return out;
}

int exec_on_ranks(const Words& words) {
  std::string wanted = "all", excluded;
  std::size_t at = 0;
  for (; at < words.size() && words[at].starts_with('-'); ++at) {
    for (const auto& [name, value] :
         {std::pair{std::string("-r"), &wanted}, std::pair{std::string("-x"), &excluded}}) {
      if (words[at] == name && at + 1 < words.size()) {
        *value = words[++at];
        break;
      }
      if (words[at].starts_with(name)) *value = words[at].substr(2);
    }
  }
  const Words command(words.begin() + static_cast<std::ptrdiff_t>(at), words.end());
  if (command.empty()) return failed("exec", "usage: flux exec [-r RANKS] [-x RANKS] COMMAND...");
  const auto resources = ask("exec", {{"op", "resources"}});
  if (!resources) return 1;
  const std::size_t size = resources->at("hosts").size();
  std::vector<std::size_t> ranks =
      id_set(wanted == "all" ? "0-" + std::to_string(size - 1) : wanted);
  const std::vector<std::size_t> out = id_set(excluded);
  std::erase_if(ranks, [&](std::size_t rank) { return std::ranges::count(out, rank) > 0; });
  if (ranks.empty()) return failed("exec", "no ranks are left to run it on");
  auto broker = open_broker("exec");
  if (!broker) return 1;
  broker->send({{"op", "exec"},
                {"argv", command},
                {"env", own_environment()},
                {"cwd", std::filesystem::current_path().string()},
                {"ranks", ranks}});
  return follow(*broker, "exec");
}

int job(const Words& words) {
  const std::string what = words.empty() ? "" : words[0];
  Words ids(words.begin() + (words.empty() ? 0 : 1), words.end());
  if (what == "wait" && ids.size() == 1 && (ids[0] == "--all" || ids[0] == "-a")) {
    return wait_for_all();
  }
  const bool report = std::ranges::count(ids, "--json") > 0;
  std::erase_if(ids, [](const std::string& word) { return word.starts_with("--"); });
  if (ids.empty()) return failed("job", "usage: flux job status|wait|attach ID", kUsage);
  if (what == "status" && report) std::cout << "{}" << std::endl;
  if (what == "status") return status("job", ids);
  if (what == "wait") return status("job", ids) == 0 ? 0 : 1;
  if (what != "attach") return failed("job", what + ": unknown command");
  auto broker = open_broker("job");
  if (!broker) return 1;
  broker->send({{"op", "attach"}, {"id", ids[0]}});
  return follow(*broker, "job");
}

// `flux jobs -n -o {id}`.
int list_ids(const json& jobs, bool all) {
  for (const json& entry : jobs) {
    if (all || entry.at("active").get<bool>()) {
      std::cout << entry.at("id").get<std::string>() << std::endl;
    }
  }
  return 0;
}

int jobs(const Words& words) {
  const bool all = std::ranges::count(words, "-a") > 0;
  const auto answer = ask("jobs", {{"op", "jobs"}, {"parent", environment("FLUX_STAND_IN_BATCH")}});
  if (!answer) return 1;
  if (std::ranges::count(words, "{id}") > 0) return list_ids(answer->at("jobs"), all);
  std::printf("%12s %-10s %2s %6s\n", "JOBID", "NAME", "ST", "NTASKS");
  for (const json& entry : answer->at("jobs")) {
    if (!all && !entry.at("active").get<bool>()) continue;
    const std::string program =
        std::filesystem::path(entry.at("name").get<std::string>()).filename();
    std::printf("%12s %-10s %2s %6zu\n", entry.at("id").get<std::string>().c_str(), program.c_str(),
                entry.at("state").get<std::string>().c_str(),
                entry.at("ntasks").get<std::size_t>());
  }
  return 0;
}

int queue(const Words& words) {
  const std::string what = words.empty() ? "" : words[0];
  if (what == "start" || what == "stop") return ask("queue", {{"op", "resources"}}) ? 0 : 1;
  if (what == "idle" || what == "drain") return ask("queue", all_jobs(false)) ? 0 : 1;
  return failed("queue", "usage: flux queue start|stop|idle|drain", kUsage);
}

int resource(const Words& words) {
  if (words.empty() || words[0] != "list") {
    return failed("resource", "usage: flux resource list", kUsage);
  }
  const auto answer = ask("resource", {{"op", "resources"}});
  if (!answer) return 1;
  const auto online = answer->at("online").get<std::vector<std::size_t>>();
  std::string nodes;
  for (const std::size_t rank : online) {
    nodes += (nodes.empty() ? "" : ",") + answer->at("hosts").at(rank).get<std::string>();
  }
  const std::size_t cores = online.size() * answer->at("cores").get<std::size_t>();
  std::printf("%10s %6s %6s %s\n%10s %6zu %6zu %s\n", "STATE", "NNODES", "NCORES", "NODELIST",
              "free", online.size(), cores, nodes.c_str());
  return 0;
}

int getattr(const Words& words) {
  if (words.size() != 1) return failed("getattr", "usage: flux getattr NAME", kUsage);
  const auto answer = ask("getattr", {{"op", "getattr"}, {"name", words[0]}});
  if (!answer) return 1;
  std::cout << answer->value("value", "") << std::endl;
  return 0;
}

int shutdown(const Words&) {
  auto broker = open_broker("shutdown");
  if (!broker) return 1;
  broker->send({{"op", "shutdown"}});
  while (broker->receive()) {
  }
  return 0;
}

int proxy(const Words& words) {
  std::size_t at = 0;
  while (at < words.size() && words[at].starts_with('-')) ++at;
  if (at >= words.size()) return failed("proxy", "usage: flux proxy URI COMMAND...", kUsage);
  setenv("FLUX_URI", words[at].c_str(), 1);
  if (!open_broker("proxy")) return 1;
  Words command(words.begin() + static_cast<std::ptrdiff_t>(at) + 1, words.end());
  const std::string shell = environment("SHELL");
  if (command.empty()) command = {shell.empty() ? "/bin/sh" : shell};
  std::vector<char*> pointers;
  for (std::string& word : command) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  execvp(pointers[0], pointers.data());
  return failed("proxy", command[0] + ": " + std::strerror(errno), 127);
}

}  // namespace mc::stand_in
