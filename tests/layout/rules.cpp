#include "tests/layout/rules.h"

#include <algorithm>
#include <map>
#include <ranges>
#include <set>
#include <sstream>
#include <string_view>

namespace mc::layout {
namespace {

using Prefixes = std::vector<std::string_view>;

// Which of our headers files may include, by their prefix.
struct OwnRule {
  std::string_view files;
  Prefixes may_include;
};

// The names of our own resources: for the services that may use the Kubernetes client.
constexpr std::string_view kResources = "services/api_resources.h";

// Files that may include something else than their library's dependencies say.
const std::vector<OwnRule>& own_rules() {
  static const std::vector<OwnRule> rules = {
      {"services/webhook/review.",
       {"common/base/", "common/flux/", "common/api/", "services/webhook/"}},
      {"services/webhook/admission_request.", {"common/base/", "common/api/", "services/webhook/"}},
      {kResources, {"common/api/", "common/kube/"}},
      {"services/controller/status/",
       {"common/base/", "common/api/", "common/render/", "services/controller/cluster/",
        "services/controller/interpret/", "services/controller/reconcile/outcome.h",
        "services/controller/status/"}},
      {"services/controller/reconcile/plan.",
       {"common/base/", "common/flux/", "common/api/", "common/render/",
        "services/controller/cluster/", "services/controller/interpret/",
        "services/controller/reconcile/"}},
      {"services/controller/queueing/",
       {"common/", "services/controller/cluster/", "services/controller/interpret/",
        "services/controller/cache/", "services/controller/status/",
        "services/controller/reconcile/examinations.h",
        "services/controller/reconcile/job_change.h", "services/controller/queueing/"}},
      {"services/controller/main.", {"services/controller/app/", "common/commands/"}},
      {"services/kubectl-minicluster/main.", {"services/kubectl-minicluster/app/"}},
  };
  return rules;
}

// These, and those of the libraries. `layers` must outlive what is returned.
std::vector<OwnRule> rules_with(std::string_view layers) {
  std::vector<OwnRule> rules = own_rules();
  std::map<std::string_view, std::string_view> files;  // of each library
  for (const auto line : std::views::split(layers, '\n')) {
    Prefixes words;
    for (const auto word : std::views::split(line, ' ')) {
      if (!word.empty()) words.emplace_back(word.begin(), word.end());
    }
    if (words.empty()) continue;
    OwnRule& rule = rules.emplace_back(OwnRule{words.at(1), {}});
    files[words[0]] = rule.files;
    for (std::size_t i = 2; i < words.size(); ++i) rule.may_include.push_back(files.at(words[i]));
    rule.may_include.push_back(rule.files);
  }
  return rules;
}

// The files that may use a third-party library. Headers may not, except for nlohmann's JSON, which
// is used everywhere.
struct LibraryRule {
  std::string_view include;
  Prefixes files;
};

const std::vector<LibraryRule>& library_rules() {
  static const std::vector<LibraryRule> rules = {
      {"nlohmann/", {"common/", "certs/", "services/"}},
      {"httplib.h",
       {"common/kube/transport.cpp", "common/kube/tls_client.cpp", "common/http/exchange.cpp"}},
      {"openssl/",
       {"certs/", "common/base/base64.cpp", "common/base/openssl.", "common/kube/",
        "common/http/"}},
      {"sodium",
       {"common/base/base64.cpp", "common/base/unique_name.cpp", "common/flux/curve.cpp"}},
      {"toml++/", {"common/flux/broker_toml.cpp"}},
      {"simdjson.h", {"common/base/json_reader.cpp", "common/base/json_write.cpp"}},
      {"yaml-cpp/", {"common/base/"}},
      {"prometheus/", {"common/observe/"}},
      {"spdlog/", {"common/observe/"}},
      {"CLI/",
       {"services/", "common/commands/flags.cpp", "common/base/arguments.",
        "common/http/bind_address."}},
  };
  return rules;
}

// Files of the controller that decide by structs alone
// (docs/decisions/0060-the-cluster-as-types.md): JSON is for those that read what the API server
// sends, and write what it gets.
const Prefixes kWithoutJson = {
    "services/controller/accounts/loop.",      "services/controller/accounts/metrics.",
    "services/controller/accounts/meter.",     "services/controller/app/",
    "services/controller/controller.",         "services/controller/interpret/",
    "services/controller/metrics/fleet.",      "services/controller/status/",
    "services/controller/cache/gather.",       "services/controller/cache/gone_jobs.",
    "services/controller/cache/job_pods.",     "services/controller/cluster/observed.",
    "services/controller/queueing/condition.", "services/controller/queueing/dump.",
    "services/controller/queueing/loop.",      "services/controller/queueing/metrics.",
    "services/controller/queueing/limits.",    "services/controller/queueing/queue.",
    "services/controller/queueing/scheduler.", "services/controller/queueing/usage.",
    "services/controller/queueing/workload.",  "services/controller/queueing/admissions.",
    "services/controller/queueing/estimates.", "services/controller/queueing/queue_contents."};
const Prefixes kJson = {"common/base/json.h", "services/controller/cluster/read.h", "nlohmann/"};

// The system's own C headers (POSIX and Linux).
const Prefixes kSystem = {"sys/",      "netinet/", "arpa/",    "linux/",   "unistd.h", "fcntl.h",
                          "poll.h",    "signal.h", "netdb.h",  "spawn.h",  "dirent.h", "errno.h",
                          "pthread.h", "time.h",   "endian.h", "stdlib.h", "malloc.h"};

// Files that only compute values; time and new keys are their arguments.
const Prefixes kPure = {"common/flux/",
                        "common/api/",
                        "services/webhook/review.",
                        "services/webhook/admission_request.",
                        "services/webhook/parsed_review.",
                        "services/controller/accounts/ledger.",
                        "services/controller/accounts/record.",
                        "services/controller/accounts/meter.",
                        "services/controller/reconcile/plan",
                        "services/controller/reconcile/outcome.",
                        "services/controller/reconcile/drift.",
                        "services/controller/reconcile/examinations.",
                        "services/controller/reconcile/job_change.",
                        "services/controller/reconcile/flux_defaults.",
                        "services/controller/status/",
                        "services/controller/interpret/",
                        "services/controller/cluster/",
                        "services/controller/queueing/condition.",
                        "services/controller/queueing/dump.",
                        "services/controller/queueing/limits.",
                        "services/controller/queueing/queue.",
                        "services/controller/queueing/queue_contents.",
                        "services/controller/queueing/admissions.",
                        "services/controller/queueing/estimates.",
                        "services/controller/queueing/scheduler.",
                        "services/controller/queueing/usage.",
                        "services/controller/queueing/workload.",
                        "services/kubectl-minicluster/view/",
                        "common/render/",
                        "common/commands/"};

const Prefixes kImpureIncludes = {
    "common/kube/",       "common/observe/", "common/http/", "certs/", "common/base/clock.h",
    "httplib.h",          "openssl/",        "thread",       "future", "stop_token",
    "condition_variable", "pthread.h"};

const Prefixes kClockCalls = {
    "system_clock::now", "steady_clock::now", "high_resolution_clock::now",
    "gettimeofday(",     "clock_gettime(",    "std::time("};

// The program that also runs elsewhere, and what only Linux has.
constexpr std::string_view kPortable = "services/kubectl-minicluster/";
const Prefixes kLinuxIncludes = {"linux/",        "sys/epoll.h",    "sys/eventfd.h",
                                 "sys/inotify.h", "sys/signalfd.h", "sys/timerfd.h",
                                 "sys/prctl.h",   "sys/sendfile.h", "sys/pidfd.h",
                                 "malloc.h",      "endian.h"};
const Prefixes kLinuxCalls = {"\"/proc/",     "pipe2(",        "accept4(", "sigtimedwait(",
                              "SOCK_CLOEXEC", "SOCK_NONBLOCK", "ppoll(",   "close_range("};

// Folders of tests without a matching folder of sources.
const std::set<std::string_view> kOwnTestFolders = {"tests",
                                                    "tests/support",
                                                    "tests/support/selftest",
                                                    "tests/layout",
                                                    "tests/integration",
                                                    "tests/faults",
                                                    "tests/fault_proxy",
                                                    "tests/pods",
                                                    "tests/fuzz"};

struct Line {
  std::size_t number;
  std::string text;
};

struct Include {
  std::size_t line;
  std::string name;
  bool quoted;
};

bool has_prefix(std::string_view text, const Prefixes& prefixes) {
  return std::ranges::any_of(prefixes, [&](std::string_view p) { return text.starts_with(p); });
}

bool is_source(std::string_view path) {
  return (path.ends_with(".h") || path.ends_with(".cpp")) &&
         has_prefix(path, {"common/", "certs/", "services/"});
}

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash);
}

std::vector<Line> lines_of(const std::string& text) {
  std::vector<Line> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back({lines.size() + 1, line});
  return lines;
}

std::vector<Include> includes_of(const std::string& text) {
  std::vector<Include> includes;
  for (const Line& line : lines_of(text)) {
    const std::size_t start = line.text.find_first_not_of(" \t");
    if (start == std::string::npos || line.text[start] != '#') continue;
    const std::size_t word = line.text.find_first_not_of(" \t", start + 1);
    if (word == std::string::npos || !line.text.substr(word).starts_with("include")) continue;
    const std::size_t open = line.text.find_first_of("<\"", word);
    if (open == std::string::npos) continue;
    const std::size_t close = line.text.find_first_of(">\"", open + 1);
    includes.push_back(
        {line.number, line.text.substr(open + 1, close - open - 1), line.text[open] == '"'});
  }
  return includes;
}

std::string at(const std::string& path, std::size_t line, const std::string& what) {
  return path + ":" + std::to_string(line) + ": " + what;
}

std::string listed(const Prefixes& prefixes) {
  std::string text;
  for (const std::string_view prefix : prefixes) {
    text += (text.empty() ? "" : ", ") + std::string(prefix);
  }
  return text;
}

// What is wrong with including one of our headers; "" if nothing is.
std::string own_violation(const std::vector<OwnRule>& rules, const Tree& tree,
                          const std::string& path, const std::string& name) {
  if (!tree.contains(name)) {
    return "no file \"" + name + "\"; includes are written from the repository's root";
  }
  const OwnRule* rule = nullptr;
  for (const OwnRule& candidate : rules) {
    if (path.starts_with(candidate.files) &&
        (rule == nullptr || candidate.files.size() > rule->files.size())) {
      rule = &candidate;
    }
  }
  if (rule == nullptr) return "belongs to no library; add it to a CMakeLists.txt";
  if (has_prefix(name, rule->may_include)) return "";
  if (name == kResources && has_prefix("common/kube/", rule->may_include)) return "";
  return std::string(rule->files) + " may not include " + name + ", only " +
         listed(rule->may_include);
}

// What is wrong with including a header in angle brackets; "" if nothing is.
std::string library_violation(const std::string& path, const std::string& name) {
  if (name.find('.') == std::string::npos && name.find('/') == std::string::npos &&
      name != "sodium") {
    return "";  // the standard library's names have neither
  }
  if (has_prefix(name, kSystem)) return "";
  for (const LibraryRule& rule : library_rules()) {
    if (!name.starts_with(rule.include)) continue;
    if (path.ends_with(".h") && rule.include != "nlohmann/") {
      return "third-party types stay out of headers, and this one includes <" + name + ">";
    }
    if (has_prefix(path, rule.files)) return "";
    return "<" + name + "> may be included only in " + listed(rule.files);
  }
  return "no rule says who may include <" + name + ">; add it to library_rules()";
}

// Follows includes of our headers from `path`; `found` gets the chain to each impure header, once
// per header.
void follow(const Tree& tree, const std::string& path, const std::string& way,
            std::set<std::string>& seen, std::vector<std::string>& found) {
  for (const Include& include : includes_of(tree.at(path))) {
    const std::string step = way + " -> " + include.name;
    if (has_prefix(include.name, kImpureIncludes)) {
      found.push_back(step);
    } else if (include.quoted && tree.contains(include.name) && seen.insert(include.name).second) {
      follow(tree, include.name, step, seen, found);
    }
  }
}

// Adds `path`, and the sources of every header of ours that it includes, directly or not.
void collect(const Tree& tree, const std::string& path, std::set<std::string>& found) {
  if (!tree.contains(path) || !found.insert(path).second) return;
  for (const Include& include : includes_of(tree.at(path))) {
    if (!include.quoted) continue;
    collect(tree, include.name, found);
    collect(tree, include.name.substr(0, include.name.rfind('.')) + ".cpp", found);
  }
}

}  // namespace

std::vector<std::string> portability_violations(const Tree& tree) {
  std::set<std::string> sources;
  for (const auto& [path, text] : tree) {
    if (is_source(path) && path.starts_with(kPortable)) collect(tree, path, sources);
  }
  std::vector<std::string> found;
  const auto report = [&](const std::string& path, std::size_t line, std::string_view what) {
    found.push_back(at(path, line,
                       std::string(what) + ": only Linux has it, and " + std::string(kPortable) +
                           " also runs elsewhere"));
  };
  for (const std::string& path : sources) {
    for (const Include& include : includes_of(tree.at(path))) {
      if (has_prefix(include.name, kLinuxIncludes)) report(path, include.line, include.name);
    }
    for (const Line& line : lines_of(tree.at(path))) {
      const std::string code = line.text.substr(0, line.text.find("//"));
      for (const std::string_view call : kLinuxCalls) {
        if (code.find(call) != std::string::npos) report(path, line.number, call);
      }
    }
  }
  return found;
}

std::vector<std::string> include_violations(const Tree& tree, const std::string& layers) {
  const std::vector<OwnRule> rules = rules_with(layers);
  std::vector<std::string> found;
  for (const auto& [path, text] : tree) {
    if (!is_source(path)) continue;
    for (const Include& include : includes_of(text)) {
      const std::string what = include.quoted ? own_violation(rules, tree, path, include.name)
                                              : library_violation(path, include.name);
      if (!what.empty()) found.push_back(at(path, include.line, what));
    }
  }
  return found;
}

std::vector<std::string> json_violations(const Tree& tree) {
  std::vector<std::string> found;
  for (const auto& [path, text] : tree) {
    if (!has_prefix(path, kWithoutJson)) continue;
    for (const Include& include : includes_of(text)) {
      if (has_prefix(include.name, kJson))
        found.push_back(at(path, include.line, include.name + ": decides by structs, not by JSON"));
    }
  }
  return found;
}

std::vector<std::string> purity_violations(const Tree& tree) {
  std::vector<std::string> found;
  for (const auto& [path, text] : tree) {
    if (!is_source(path) || !has_prefix(path, kPure)) continue;
    for (const Include& include : includes_of(text)) {
      std::set<std::string> seen;
      std::vector<std::string> ways;
      if (has_prefix(include.name, kImpureIncludes)) {
        ways.push_back(include.name);
      } else if (include.quoted && tree.contains(include.name)) {
        follow(tree, include.name, include.name, seen, ways);
      }
      for (const std::string& way : ways) {
        found.push_back(at(path, include.line,
                           "only decides, so may reach no connection, thread or clock: " + way));
      }
    }
    for (const Line& line : lines_of(text)) {
      const std::string code = line.text.substr(0, line.text.find("//"));
      for (const std::string_view call : kClockCalls) {
        if (code.find(call) == std::string::npos) continue;
        found.push_back(
            at(path, line.number, std::string(call) + ": only decides, so time is an argument"));
      }
    }
  }
  return found;
}

std::vector<std::string> machine_path_violations(const Tree& tree,
                                                 const std::vector<std::string>& folders) {
  std::vector<std::string> found;
  for (const auto& [path, text] : tree) {
    for (const Line& line : lines_of(text)) {
      for (const std::string& folder : folders) {
        if (line.text.find(folder + "/") == std::string::npos) continue;
        found.push_back(at(path, line.number, folder + "/: a path that only this machine has"));
      }
    }
  }
  return found;
}

std::vector<std::string> mirror_violations(const Tree& tree) {
  std::set<std::string> sources, tests, folders;
  for (const auto& [path, text] : tree) {
    folders.insert(folder_of(path));
    if (is_source(path) && path.ends_with(".cpp") && !path.ends_with("/main.cpp")) {
      sources.insert(folder_of(path));
    }
    if (path.starts_with("tests/") && path.ends_with(".cpp")) tests.insert(folder_of(path));
  }
  std::vector<std::string> found;
  for (const std::string& folder : sources) {
    if (!tests.contains("tests/" + folder)) {
      found.push_back(at(folder, 0, "has no tests; they belong to tests/" + folder));
    }
  }
  for (const std::string& folder : tests) {
    if (kOwnTestFolders.contains(folder)) continue;
    if (!folders.contains(folder.substr(std::string_view("tests/").size()))) {
      found.push_back(at(folder, 0, "mirrors no folder of the tree"));
    }
  }
  return found;
}

}  // namespace mc::layout
