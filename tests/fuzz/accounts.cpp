#include "common/api/model/accounts.h"

#include "services/controller/accounts/ledger.h"
#include "services/kubectl-minicluster/view/account.h"
#include "tests/fuzz/targets.h"

namespace mc::fuzz {

// Users may edit the ConfigMap: it is read by the controller, which adds a run, and by the plugin.
void accounts(std::string_view input) {
  const json config_map = read_object(input);
  const api::Accounts there = api::read_accounts(config_map);
  api::RunRecord run;
  run.job = "a-new-job";
  run.name = "mc";
  json after = config_map.is_object() ? config_map : json::object();
  after.merge_patch({{"data", controller::accounts::data_with(there, {run})}});
  const api::Accounts found = api::read_accounts(after);
  require(found.runs.size() <= controller::accounts::kMostRuns, "a bounded number of records");
  require(found.runs.contains(run.job) || !found.earlier.empty(), "the run is not lost");
  for (const auto& [job, one] : there.runs) {
    const json again = {{"data", {{job, api::run_text(one)}}}};
    require(api::read_accounts(again).runs.contains(job), "what is written can be read");
  }
  const std::vector<kubectl::NamespaceAccounts> all = {{.ns = "lab", .accounts = found}};
  for (const auto by : {kubectl::AccountBy::Run, kubectl::AccountBy::Name}) {
    const kubectl::AccountQuery query{.by = by};
    const auto lines = kubectl::account_lines(all, query);
    require(kubectl::account_table(lines, query).size() == lines.size() + 2, "headings and total");
    require(kubectl::account_csv(lines, query).size() == lines.size() + 1, "headings");
    require(kubectl::account_json(lines, query).size() == lines.size(), "each line");
  }
}

}  // namespace mc::fuzz
