#include "services/kubectl-minicluster/view/account.h"

#include <CLI/CLI.hpp>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <utility>

#include "common/base/clock.h"
#include "common/kube/client.h"
#include "services/kubectl-minicluster/client/session.h"
#include "services/kubectl-minicluster/verbs/verb.h"

// `account`: what MiniClusters that have ended used.
namespace mc::kubectl {
namespace {

struct AccountOptions {
  std::string since, by, output = "table";
  std::optional<Time> from = {};  // that `since` is
  bool all = false;
};

// An error is that of the API server, also NotFound.
Result<std::vector<NamespaceAccounts>> read_accounts_of(const Session& session, bool all) {
  std::vector<NamespaceAccounts> out;
  const auto add = [&](const json& config_map) {
    out.push_back({text_at(config_map, {"metadata", "namespace"}), api::read_accounts(config_map)});
  };
  if (!all) {
    const auto one =
        session.client().get(kube::kConfigMaps, session.namespace_name(), api::kAccountsConfigMap);
    if (one) add(*one);
    if (!one && one.error().kind != ErrorKind::NotFound) return std::unexpected(one.error());
    return out;
  }
  const std::string selector = std::string("metadata.name=") + api::kAccountsConfigMap;
  const auto list =
      session.client().list(kube::kConfigMaps, "", {.field_selector = selector, .limit = 20});
  if (!list) return std::unexpected(list.error());
  for (const json& one : items_at(*list, {"items"})) add(one);
  return out;
}

int print_accounts(const std::vector<AccountLine>& lines, const AccountQuery& query,
                   const std::string& output, const Terminal& terminal) {
  if (output == "csv") return print_lines(account_csv(lines, query), terminal);
  if (output == "json") return print_lines({dump(account_json(lines, query), 2)}, terminal);
  if (lines.empty()) return 0;
  return print_lines(lines_of(account_table(lines, query), layout_of(terminal)), terminal);
}

AccountBy account_by(const std::string& text) {
  static const std::map<std::string, AccountBy> kAll = {{"namespace", AccountBy::Namespace},
                                                        {"account", AccountBy::Account},
                                                        {"name", AccountBy::Name}};
  const auto found = kAll.find(text);
  return found == kAll.end() ? AccountBy::Run : found->second;
}

int account_verb(const AccountOptions& options, const Context& context) {
  const Terminal& terminal = context.terminal;
  const AccountQuery query{
      .since = options.from, .by = account_by(options.by), .namespaces = options.all};
  const auto session = Session::open(context.cluster);
  if (!session) return report(terminal, session.error());
  const auto all = read_accounts_of(*session, options.all);
  if (!all) return report(terminal, all.error());
  const auto lines = account_lines(*all, query);
  if (lines.empty()) {
    terminal.err << "No run is recorded"
                 << (options.all ? "" : " in " + session->namespace_name() + " namespace")
                 << (query.since && !all->empty() ? " since then" : "") << ".\n";
  }
  if (const std::string warning = account_warning(*all, query); !warning.empty()) {
    terminal.err << "Warning: " << warning << "\n";
  }
  return print_accounts(lines, query, options.output, terminal);
}

}  // namespace

void add_account(const CommandLine& line) {
  auto options = std::make_shared<AccountOptions>();
  CLI::App& app = add_verb(
      line, "account",
      "List what MiniClusters that have ended used, as sreport does, the newest\n"
      "end last, with a total. It is kept in the ConfigMap minicluster-accounts of\n"
      "each namespace, also after a MiniCluster was deleted. An hour of a pod counts\n"
      "from when it has a node until it ends; an hour of a CPU is that of a pod,\n"
      "times the CPUs that it requests. csv and json have everything in seconds.",
      {"account", "account --since 7d -o csv", "account -A --by namespace --since 2026-11-01"});
  app.add_flag("-A,--all-namespaces", options->all, "All namespaces");
  app.add_option("--since", options->since,
                 "Only those that ended so long ago at most, or from this\n"
                 "day or time on: 7d, 2026-11-01, 2026-11-01T08:00:00Z")
      ->type_name("TIME");
  app.add_option("--by", options->by,
                 "A sum for each namespace, account (the label\n"
                 "flux-framework.org/account) or name of MiniClusters")
      ->check(CLI::IsMember({"namespace", "account", "name"}).description(""))
      ->type_name("namespace|account|name");
  app.add_option("-o,--output", options->output, "Format")
      ->check(CLI::IsMember({"table", "csv", "json"}).description(""))
      ->default_str("table")
      ->type_name("table|csv|json");
  app.callback([options, &chosen = line.chosen] {
    if (!options->since.empty()) {
      const auto from = since_of(options->since, SystemClock().wall());
      if (!from) throw CLI::ValidationError("--since: " + from.error());
      options->from = *from;
    }
    chosen = [options](const Context& context) { return account_verb(*options, context); };
  });
}

}  // namespace mc::kubectl
