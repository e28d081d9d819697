#include "common/flux/broker_toml.h"

#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <initializer_list>
#include <optional>
#include <sstream>
#include <utility>

#include "common/base/text.h"
#include "common/flux/hostlist.h"

namespace mc::flux {
namespace {

constexpr std::int64_t kMaxPort = 65535;
constexpr std::size_t kMostProblems = 101;

// Tables in which Flux accepts only these keys.
struct StrictTable {
  std::string_view name;
  std::vector<std::string> keys;
};

const std::vector<StrictTable>& strict_tables() {
  static const std::vector<StrictTable> tables = {
      {"access", {"allow-guest-user", "allow-root-owner", "private-mode", "roles"}},
      {"bootstrap",
       {"hosts", "curve_cert", "default_port", "default_bind", "default_connect", "enable_ipv6"}},
      {"resource",
       {"path", "config", "scheduling", "exclude", "verify", "noverify", "norestrict", "rediscover",
        "no-update-watch", "journal-max", "history"}}};
  return tables;
}

const StrictTable& host_entry() {
  static const StrictTable table = {"bootstrap.hosts", {"host", "bind", "connect", "parent"}};
  return table;
}

const StrictTable& queue() {
  static const StrictTable table = {"queues", {"policy", "requires", "parent"}};
  return table;
}

enum class Type { Text, Bool };

struct TypeRule {
  std::string_view table, key;
  Type type;
};

constexpr TypeRule kTypes[] = {{"bootstrap", "curve_cert", Type::Text},
                               {"bootstrap", "default_bind", Type::Text},
                               {"bootstrap", "default_connect", Type::Text},
                               {"bootstrap", "enable_ipv6", Type::Bool},
                               {"resource", "path", Type::Text},
                               {"access", "allow-guest-user", Type::Bool},
                               {"access", "allow-root-owner", Type::Bool},
                               {"tbon", "connect_timeout", Type::Text},
                               {"tbon", "tcp_user_timeout", Type::Text},
                               {"tbon", "topo", Type::Text}};

// Collects the errors with which Flux would not start.
class Check {
 public:
  explicit Check(const toml::table& config) : config_(config) {}

  BrokerToml run() {
    for (const StrictTable& rule : strict_tables()) {
      if (const toml::table* table = config_[rule.name].as_table()) validate_keys(*table, rule);
    }
    if (const toml::table* queues = config_["queues"].as_table()) {
      for (const auto& [name, node] : *queues) {
        if (const toml::table* table = node.as_table()) validate_keys(*table, queue());
      }
    }
    for (const TypeRule& rule : kTypes) check_type(rule);
    check_port();
    check_hosts();
    std::ranges::stable_sort(problems_, {}, &Problem::line);
    for (const Problem& problem : problems_) {
      result_.problems.push_back("line " + std::to_string(problem.line) + ": " + problem.reason);
    }
    return std::move(result_);
  }

 private:
  struct Problem {
    std::uint32_t line;
    std::string reason;
  };

  bool is_full() const { return problems_.size() == kMostProblems; }

  void add(const toml::node& where, std::string reason) {
    if (!is_full()) problems_.push_back({where.source().begin.line, std::move(reason)});
  }

  void validate_keys(const toml::table& table, const StrictTable& rule) {
    for (const auto& [key, node] : table) {
      if (is_full()) return;
      if (std::ranges::find(rule.keys, key.str()) != rule.keys.end()) continue;
      add(node,
          "not a key of [" + std::string(rule.name) + "], which has " + joined(rule.keys, ", "));
    }
  }

  void check_type(const TypeRule& rule) {
    const toml::node* node = config_[rule.table][rule.key].node();
    if (node == nullptr) return;
    const bool fits = rule.type == Type::Text ? node->is_string() : node->is_boolean();
    const std::string wanted = rule.type == Type::Text ? "a string" : "true or false";
    if (!fits) add(*node, std::string(rule.key) + " must be " + wanted);
  }

  void check_port() {
    const toml::node* node = config_["bootstrap"]["default_port"].node();
    if (node == nullptr) return;
    const auto port = node->value_exact<std::int64_t>();
    if (!port || *port < 0 || *port > kMaxPort) {
      add(*node, "default_port must be a number from 0 to 65535, without quotes");
    }
  }

  void check_hosts() {
    const toml::node* node = config_["bootstrap"]["hosts"].node();
    if (node == nullptr) return;
    const toml::array* hosts = node->as_array();
    if (hosts == nullptr) return add(*node, "hosts must be a list of tables");
    for (const toml::node& entry : *hosts) {
      const toml::table* table = entry.as_table();
      if (table == nullptr) {
        add(entry, "an entry of hosts must be a table, as in { host = \"a-[0-3]\" }");
        continue;
      }
      validate_keys(*table, host_entry());
      check_host(*table);
    }
    const std::vector<std::string> names = hosts_.take();
    if (uses_port() && !config_["bootstrap"]["default_port"]) {
      add(*node, "default_port is missing, but %p refers to it");
    }
    if (names.size() > 1 && !config_["bootstrap"]["curve_cert"]) {
      add(*node, "curve_cert is missing; two or more brokers need it");
    }
    if (all_hosts_read_) result_.host_names = names;
  }

  bool uses_port() const {
    const auto has_token = [](std::string_view endpoint) { return endpoint.contains("%p"); };
    const auto bootstrap = config_["bootstrap"];
    return has_token(bootstrap["default_bind"].value_or("")) ||
           has_token(bootstrap["default_connect"].value_or("")) ||
           std::ranges::any_of(result_.hosts, [&](const HostEntry& entry) {
             return has_token(entry.bind) || has_token(entry.connect);
           });
  }

  void check_host(const toml::table& table) {
    HostEntry entry;
    const std::pair<std::string_view, std::string*> parts[] = {
        {"host", &entry.host}, {"bind", &entry.bind}, {"connect", &entry.connect}};
    for (const auto& [key, part] : parts) {
      const toml::node* node = table.get(key);
      if (node == nullptr) continue;
      if (!node->is_string()) add(*node, std::string(key) + " must be a string");
      *part = node->value_or(std::string());
    }
    if (!table.contains("host")) return add(table, "an entry of hosts has no host");
    if (!table.get("host")->is_string()) return;
    if (const auto added = hosts_.add(entry.host); !added) {
      add(*table.get("host"), "the value of host is not a hostlist: " + added.error().message);
      all_hosts_read_ = false;
    }
    result_.hosts.push_back(std::move(entry));
  }

  const toml::table& config_;
  std::vector<Problem> problems_;
  HostExpander hosts_{kMaxHosts};
  bool all_hosts_read_ = true;
  BrokerToml result_;
};

toml::array host_entries(const std::vector<HostEntry>& hosts) {
  toml::array entries;
  for (const HostEntry& host : hosts) {
    toml::table entry;
    entry.is_inline(true);
    entry.insert("host", host.host);
    if (!host.bind.empty()) entry.insert("bind", host.bind);
    if (!host.connect.empty()) entry.insert("connect", host.connect);
    entries.push_back(std::move(entry));
  }
  return entries;
}

// The parser's reason without what it quotes of the text, except single characters of TOML's own
// syntax.
std::string reason_of(const toml::parse_error& error) {
  std::string_view rest = error.description();
  rest = rest.substr(0, rest.find(", saw"));
  std::string out;
  while (!rest.empty()) {
    const std::size_t open = rest.find_first_of("'\"`");
    out += rest.substr(0, open);
    if (open == std::string_view::npos) break;
    const std::size_t close = rest.find(rest[open], open + 1);
    const std::string_view quoted = rest.substr(open + 1, close - open - 1);
    const bool is_sign = std::ranges::none_of(
        quoted, [](unsigned char c) { return std::isalnum(c) != 0 || std::isspace(c) != 0; });
    out += is_sign && quoted.size() == 1 ? "'" + std::string(quoted) + "'" : "(not shown)";
    rest = close == std::string_view::npos ? "" : rest.substr(close + 1);
  }
  return out;
}

// toml++ limits how deep values are nested, but not dotted keys, each part of which is a table:
// its recursion would end the process.
constexpr std::size_t kMostKeyParts = 100;

// The end of the string that begins at `at` with a quote; the end of the text if it is not closed.
std::size_t end_of_string(std::string_view text, std::size_t at) {
  const char quote = text[at];
  const std::string_view three = text.substr(at, 3);
  const bool is_long = three.size() == 3 && three[1] == quote && three[2] == quote;
  for (std::size_t i = at + (is_long ? 3 : 1); i < text.size(); ++i) {
    if (text[i] == '\\' && quote == '"') {
      ++i;
    } else if (is_long ? text.substr(i).starts_with(three) : text[i] == quote) {
      return i + (is_long ? 3 : 1);
    } else if (!is_long && text[i] == '\n') {
      return i;
    }
  }
  return text.size();
}

// The number of the first line that has a longer key; 0 if no line has one. Takes linear time.
std::size_t line_of_deep_key(std::string_view text) {
  std::size_t dots = 0;
  const auto line_at = [&](std::size_t at) {
    return 1 + static_cast<std::size_t>(std::ranges::count(text.substr(0, at), '\n'));
  };
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (c == '"' || c == '\'') {
      i = end_of_string(text, i);
    } else if (c == '#') {
      i = std::min(text.find('\n', i), text.size());
    } else {
      const bool is_in_key =
          is_letter(c) || is_digit(c) || c == '_' || c == '-' || c == ' ' || c == '\t';
      if (c == '.' && ++dots >= kMostKeyParts) return line_at(i);
      if (c != '.' && !is_in_key) dots = 0;
      ++i;
    }
  }
  return 0;
}

}  // namespace

std::string connect_through_service(std::string_view service) {
  return "tcp://%h." + std::string(service) + ":%p";
}

std::string broker_toml(const BrokerConfig& config) {
  toml::table bootstrap{{"default_port", config.port},
                        {"default_bind", config.bind},
                        {"enable_ipv6", config.enable_ipv6},
                        {"hosts", host_entries(config.hosts)}};
  if (!config.curve_cert.empty()) bootstrap.insert("curve_cert", config.curve_cert);
  if (!config.connect.empty()) bootstrap.insert("default_connect", config.connect);
  toml::table root{{"access", toml::table{{"allow-guest-user", config.allow_guest_user},
                                          {"allow-root-owner", config.allow_root_owner}}},
                   {"bootstrap", std::move(bootstrap)}};
  if (!config.resource_path.empty()) {
    toml::table resource{{"path", config.resource_path}};
    if (!config.verify_resources) resource.insert("noverify", true);
    root.insert("resource", std::move(resource));
  }
  if (!config.kill_timeout.empty()) {
    root.insert("exec", toml::table{{"kill-timeout", config.kill_timeout}});
  }
  if (!config.queue_policy.empty()) {
    root.insert("sched-fluxion-qmanager", toml::table{{"queue-policy", config.queue_policy}});
  }
  if (!config.archive_path.empty()) {
    root.insert(
        "archive",
        toml::table{{"dbpath", config.archive_path}, {"period", "1m"}, {"busytimeout", "50s"}});
  }
  std::ostringstream out;
  out << toml::toml_formatter(root, toml::format_flags::allow_unicode_strings) << '\n';
  return out.str();
}

Result<BrokerToml> parse_broker_toml(std::string_view text) {
  if (const std::size_t line = line_of_deep_key(text); line > 0) {
    return fail(ErrorKind::Malformed, "line " + std::to_string(line) + ": a key has more than " +
                                          std::to_string(kMostKeyParts) + " parts");
  }
  try {
    const toml::table config = toml::parse(text);
    return Check(config).run();
  } catch (const toml::parse_error& error) {
    const toml::source_position& where = error.source().begin;
    return fail(ErrorKind::Malformed, "line " + std::to_string(where.line) + ", column " +
                                          std::to_string(where.column) + ": " + reason_of(error));
  }
}

}  // namespace mc::flux
