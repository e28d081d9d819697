#include "tests/flux_stand_in/config.h"

#include <sched.h>
#include <sys/stat.h>
#include <toml++/toml.h>

#include <algorithm>
#include <utility>

#include "common/base/file.h"
#include "common/base/json.h"
#include "common/flux/broker_config.h"
#include "common/flux/hostlist.h"

namespace mc::stand_in {
namespace {

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

Result<flux::CurveKeys> read_certificate(const std::string& path) {
  struct stat info{};
  if (stat(path.c_str(), &info) == 0 && (info.st_mode & (S_IRGRP | S_IROTH)) != 0) {
    return refused(path + ": readable by group/other");
  }
  const auto text = read_file(path, kMostFileBytes);
  if (!text) return refused(path + ": " + text.error().message);
  auto keys = flux::parse_curve_certificate(*text);
  if (!keys) return refused("Error loading certificate: " + path + ": Invalid argument");
  return keys;
}

std::string range(std::size_t count) { return count == 1 ? "0" : "0-" + std::to_string(count - 1); }

}  // namespace

Result<Config> load_config(const std::string& folder, const std::string& hostname) {
  Config out;
  out.hosts = {hostname};
  if (folder.empty()) return out;
  const std::string path = folder + "/broker.toml";
  const auto text = read_file(path, kMostFileBytes);
  if (!text) return refused(path + ": " + text.error().message);
  const auto checked = flux::parse_broker_toml(*text);
  if (!checked) return refused(path + ": " + checked.error().message);
  if (!checked->problems.empty()) return refused(path + ": " + checked->problems[0]);
  out.hosts = checked->host_names;
  const auto own = std::ranges::find(out.hosts, hostname);
  if (own == out.hosts.end()) return refused(hostname + " not found in hosts");
  out.rank = static_cast<std::size_t>(own - out.hosts.begin());
  if (out.hosts.size() == 1) return out;
  const toml::table config = toml::parse(*text);  // cannot fail: parse_broker_toml has parsed it
  const auto bootstrap = config["bootstrap"];
  const auto value = [&](const char* key) {
    return filled_in(bootstrap[key].value_or(std::string()), out.hosts[0],
                     bootstrap["default_port"].value_or(std::int64_t{-1}));
  };
  out.bind = value("default_bind");
  out.connect = value("default_connect");
  out.ipv6 = bootstrap["enable_ipv6"].value_or(false);
  auto keys = read_certificate(value("curve_cert"));
  if (!keys) return std::unexpected(keys.error());
  out.keys = std::move(*keys);
  return out;
}

Result<std::string> encode_resources(const std::string& hosts, int cores) {
  const auto names = flux::expand_hostlist(hosts, kMaxHosts);
  if (!names) return refused(names.error().message);
  const json group = {{"rank", range(names->size())},
                      {"children", {{"core", range(static_cast<std::size_t>(cores))}}}};
  const json execution = {{"R_lite", json::array({group})},
                          {"starttime", 0.0},
                          {"expiration", 0.0},
                          {"nodelist", json::array({hosts})}};
  return json{{"version", 1}, {"execution", execution}}.dump();
}

int local_cores() {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  return sched_getaffinity(0, sizeof cores, &cores) == 0 ? CPU_COUNT(&cores) : 1;
}

}  // namespace mc::stand_in
