#include "tests/flux_stand_in/config.h"

#include <sched.h>
#include <sys/stat.h>
#include <toml++/toml.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "common/base/file.h"
#include "common/base/json.h"
#include "common/flux/broker_config.h"
#include "common/flux/hostlist.h"

namespace mc::stand_in {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxHosts = 10'000;

std::unexpected<Error> refused(std::string message) {
  return fail(ErrorKind::Invalid, std::move(message));
}

std::string filled_in(std::string text, const std::string& host, std::int64_t port) {
  const std::pair<std::string_view, std::string> tokens[] = {{"%h", host},
                                                             {"%p", std::to_string(port)}};
  for (const auto& [token, value] : tokens) {
    for (std::size_t at = text.find(token); at != std::string::npos; at = text.find(token)) {
      text.replace(at, token.size(), value);
    }
  }
  return text;
}

std::vector<fs::path> toml_files(const fs::path& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) return {path};
  std::vector<fs::path> out;
  for (const auto& entry : fs::directory_iterator(path, error)) {
    if (entry.path().extension() == ".toml") out.push_back(entry.path());
  }
  std::ranges::sort(out);
  return out;
}

// Reads file by file; what a later one says counts.
class Reader {
 public:
  Result<void> file(const fs::path& path) {
    const auto text = read_file(path.string());
    if (!text) return refused(path.string() + ": " + text.error().message);
    auto checked = flux::parse_broker_toml(*text);
    if (!checked) return refused(path.string() + ": " + checked.error().message);
    if (!checked->problems.empty()) return refused(path.string() + ": " + checked->problems[0]);
    if (!checked->hosts.empty()) entries_ = std::move(checked->hosts);
    const toml::table config = toml::parse(*text);  // which parse_broker_toml did as well
    read(config["bootstrap"]["default_bind"], bind_);
    read(config["bootstrap"]["default_connect"], connect_);
    read(config["bootstrap"]["curve_cert"], certificate_);
    read(config["tbon"]["connect_timeout"], out_.connect_timeout);
    read(config["resource"]["path"], out_.resources);
    out_.ipv6 = config["bootstrap"]["enable_ipv6"].value_or(out_.ipv6);
    port_ = config["bootstrap"]["default_port"].value_or(port_);
    return {};
  }

  Result<Config> end(const std::string& hostname) {
    for (const flux::HostEntry& entry : entries_) {
      const auto hosts = flux::expand_hostlist(entry.host, kMaxHosts);
      if (!hosts) return refused(hosts.error().message);
      if (out_.hosts.empty() && !hosts->empty()) lead(entry, hosts->front());
      for (const std::string& host : *hosts) {
        if (std::ranges::count(out_.hosts, host) == 0) out_.hosts.push_back(host);
      }
    }
    if (out_.hosts.empty()) out_.hosts = {hostname};
    const auto own = std::ranges::find(out_.hosts, hostname);
    if (own == out_.hosts.end()) return refused(hostname + " not found in hosts");
    out_.rank = static_cast<std::size_t>(own - out_.hosts.begin());
    if (out_.hosts.size() == 1) return std::move(out_);
    auto keys = certificate();
    if (!keys) return std::unexpected(keys.error());
    out_.keys = std::move(*keys);
    return std::move(out_);
  }

 private:
  static void read(const toml::node_view<const toml::node>& node, std::string& to) {
    to = node.value_or(to);
  }

  void lead(const flux::HostEntry& entry, const std::string& host) {
    out_.bind = filled_in(entry.bind.empty() ? bind_ : entry.bind, host, port_);
    out_.connect = filled_in(entry.connect.empty() ? connect_ : entry.connect, host, port_);
  }

  Result<flux::CurveKeys> certificate() const {
    struct stat info{};
    if (stat(certificate_.c_str(), &info) == 0 && (info.st_mode & (S_IRGRP | S_IROTH)) != 0) {
      return refused(certificate_ + ": readable by group/other");
    }
    const auto text = read_file(certificate_);
    if (!text) return refused(certificate_ + ": " + text.error().message);
    auto keys = flux::parse_curve_certificate(*text);
    if (!keys) return refused("Error loading certificate: " + certificate_ + ": Invalid argument");
    return keys;
  }

  Config out_;
  std::vector<flux::HostEntry> entries_;
  std::string bind_, connect_, certificate_;
  std::int64_t port_ = -1;
};

}  // namespace

Result<Config> load_config(const std::string& path, const std::string& hostname) {
  Reader reader;
  if (!path.empty()) {
    for (const fs::path& file : toml_files(path)) {
      if (auto read = reader.file(file); !read) return std::unexpected(read.error());
    }
  }
  return reader.end(hostname);
}

Result<std::string> encode_resources(const std::string& hosts, int cores) {
  const auto names = flux::expand_hostlist(hosts, kMaxHosts);
  if (!names) return refused(names.error().message);
  const auto range = [](std::size_t count) {
    return count == 1 ? std::string("0") : "0-" + std::to_string(count - 1);
  };
  const json group = {{"rank", range(names->size())},
                      {"children", {{"core", range(static_cast<std::size_t>(cores))}}}};
  const json execution = {{"R_lite", json::array({group})},
                          {"starttime", 0.0},
                          {"expiration", 0.0},
                          {"nodelist", json::array({hosts})}};
  return json{{"version", 1}, {"execution", execution}}.dump();
}

Result<int> read_resources(const std::string& path, const std::vector<std::string>& hosts) {
  const auto text = read_file(path);
  if (!text) return refused(path + ": " + text.error().message);
  const json resources = json::parse(*text, nullptr, false);
  if (!resources.is_object() || !resources.contains("execution")) {
    return refused(path + ": not a resource description");
  }
  std::set<std::string> nodes;
  const json& execution = resources["execution"];
  for (const json& part : execution.value("nodelist", json::array())) {
    const auto names =
        flux::expand_hostlist(part.is_string() ? part.get<std::string>() : "", kMaxHosts);
    if (!names) return refused(path + ": nodelist: " + names.error().message);
    nodes.insert(names->begin(), names->end());
  }
  for (const std::string& host : hosts) {
    if (!nodes.contains(host)) {
      return refused("error reranking R: Host " + host + " not found in resources");
    }
  }
  if (nodes.size() != hosts.size()) {
    return refused("Number of hosts (" + std::to_string(hosts.size()) +
                   ") is less than node count (" + std::to_string(nodes.size()) + ")");
  }
  const json::json_pointer cores("/execution/R_lite/0/children/core");
  if (!resources.contains(cores) || !resources[cores].is_string()) return 1;
  const std::string range = resources[cores];
  const std::size_t dash = range.find('-');
  return dash == std::string::npos ? 1 : std::stoi(range.substr(dash + 1)) + 1;
}

int local_cores() {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  return sched_getaffinity(0, sizeof cores, &cores) == 0 ? CPU_COUNT(&cores) : 1;
}

}  // namespace mc::stand_in
