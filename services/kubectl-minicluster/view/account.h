#pragma once
#include <expected>
#include <optional>
#include <string>
#include <vector>

#include "common/api/model/accounts.h"
#include "common/base/json.h"
#include "services/kubectl-minicluster/view/get_table.h"
#include "services/kubectl-minicluster/view/table.h"

// What `account` shows: what MiniClusters that have ended used.
namespace mc::kubectl {

// What is in the ConfigMap of a namespace.
struct NamespaceAccounts {
  std::string ns;
  api::Accounts accounts;
};

enum class AccountBy { Run, Namespace, Account, Name };

struct AccountQuery {
  std::optional<Time> since = {};  // only runs that ended then or later
  AccountBy by = AccountBy::Run;
  bool namespaces = false;  // with a column for them
};

// One run; or several, of which only the sums are known, or asked for.
struct AccountLine {
  std::string ns;
  api::RunRecord run;  // of several: their name or account, and what they used
  std::int64_t runs = 1;
};

// The lines: by their end, or by name if they are sums. The sums of earlier runs come first; they
// are left out if all of these ended before `since`.
std::vector<AccountLine> account_lines(const std::vector<NamespaceAccounts>& all,
                                       const AccountQuery& query);

// A sentence if some of these lines may have runs from before `since`; otherwise "".
std::string account_warning(const std::vector<NamespaceAccounts>& all, const AccountQuery& query);

// The headings, a row for each line, and their total.
std::vector<Row> account_table(const std::vector<AccountLine>& lines, const AccountQuery& query);

// The same with everything that is known, in seconds, without a total. Of CSV (RFC 4180), each
// line, with the headings.
std::vector<std::string> account_csv(const std::vector<AccountLine>& lines,
                                     const AccountQuery& query);
json account_json(const std::vector<AccountLine>& lines, const AccountQuery& query);

// The time of `--since`: so long before `now` (`7d`, `1d12h`), a day (`2026-11-01`, from its
// beginning in UTC) or a time (RFC 3339). The error is a sentence.
std::expected<Time, std::string> since_of(const std::string& text, Time now);

}  // namespace mc::kubectl
