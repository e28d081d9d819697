#pragma once
#include <string>
#include <vector>

#include "common/api/model/accounts.h"
#include "common/base/result.h"
#include "common/kube/client.h"

namespace mc::controller::accounts {

// What the ConfigMap of a namespace says.
struct LoggedAccounts {
  api::Accounts accounts;
  std::string version;  // its resourceVersion; "": there is no ConfigMap
};

[[nodiscard]] Result<LoggedAccounts> read_log(const kube::Client& client, const std::string& ns);

// Adds runs that are not in `there`. Creates the ConfigMap if it does not exist. Fails with
// Conflict or AlreadyExists if it has changed since it was read.
[[nodiscard]] Result<void> write_log(const kube::Client& client, const std::string& ns,
                                     const LoggedAccounts& there,
                                     const std::vector<api::RunRecord>& runs);

}  // namespace mc::controller::accounts
