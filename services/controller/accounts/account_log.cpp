#include "services/controller/accounts/account_log.h"

#include "common/api/model/own_config_map.h"
#include "services/controller/accounts/ledger.h"

namespace mc::controller::accounts {
Result<LoggedAccounts> read_log(const kube::Client& client, const std::string& ns) {
  const auto there = client.get(kube::kConfigMaps, ns, api::kAccountsConfigMap);
  if (!there && there.error().kind == ErrorKind::NotFound) return LoggedAccounts{};
  if (!there) return std::unexpected(there.error());
  return LoggedAccounts{.accounts = api::read_accounts(*there),
                        .version = text_at(*there, {"metadata", "resourceVersion"})};
}

// In a create, null is no value.
Result<void> write_log(const kube::Client& client, const std::string& ns,
                       const LoggedAccounts& there, const std::vector<api::RunRecord>& runs) {
  json body = {{"data", data_with(there.accounts, runs)}};
  const bool exists = !there.version.empty();
  if (exists) body["metadata"]["resourceVersion"] = there.version;
  json fresh = exists ? json() : api::own_config_map(ns, api::kAccountsConfigMap);
  if (!exists) fresh.merge_patch(body);
  const auto written = exists ? client.patch(kube::kConfigMaps, ns, api::kAccountsConfigMap,
                                             kube::PatchType::Merge, body)
                              : client.create(kube::kConfigMaps, fresh);
  if (!written) return std::unexpected(written.error());
  return {};
}

}  // namespace mc::controller::accounts
