#include "services/kubectl-minicluster/view/account.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <map>
#include <set>
#include <utility>

#include "common/api/model/quantity.h"
#include "common/base/rfc3339.h"
#include "common/base/text.h"
#include "services/kubectl-minicluster/view/age.h"
#include "services/kubectl-minicluster/view/time_limit.h"

namespace mc::kubectl {
namespace {

using api::RunRecord;
using std::chrono::seconds;

constexpr double kSecondsOfHour = 3600, kGiB = 1024.0 * 1024 * 1024;
const std::string kEarlier = "(earlier)";  // in place of a name, and no MiniCluster has it

// All of what is read is summed up.
constexpr std::size_t kEveryResource = SIZE_MAX;

bool is_wanted(const std::chrono::sys_seconds& ended, const AccountQuery& query) {
  return !query.since || ended >= *query.since;
}

bool has_earlier(const api::Accounts& accounts, const AccountQuery& query) {
  return !accounts.earlier.empty() && (!accounts.until || is_wanted(*accounts.until, query));
}

AccountLine earlier_line(const std::string& ns, const std::string& account,
                         const api::EarlierRuns& sums) {
  AccountLine out{.ns = ns, .run = {}, .runs = sums.runs};
  out.run.name = kEarlier;
  out.run.account = account;
  out.run.use = sums.use;
  return out;
}

std::string key_of(const AccountLine& line, AccountBy by) {
  if (by == AccountBy::Namespace) return line.ns;
  return by == AccountBy::Account ? line.run.account : line.run.name;
}

std::vector<AccountLine> summed_up(const std::vector<AccountLine>& lines,
                                   const AccountQuery& query) {
  std::map<std::pair<std::string, std::string>, AccountLine> sums;
  for (const AccountLine& line : lines) {
    const std::string key = key_of(line, query.by);
    const bool is_of_namespace = query.namespaces || query.by == AccountBy::Namespace;
    const auto [at, is_new] = sums.try_emplace({is_of_namespace ? line.ns : "", key});
    AccountLine& sum = at->second;
    if (is_new) sum = {.ns = at->first.first, .run = {}, .runs = 0};
    (query.by == AccountBy::Account ? sum.run.account : sum.run.name) = key;
    sum.runs += line.runs;
    api::add_use(sum.run.use, line.run.use, kEveryResource);
  }
  std::vector<AccountLine> out;
  out.reserve(sums.size());
  for (auto& [key, sum] : sums) out.push_back(std::move(sum));
  return out;
}

// Those that have columns of their own, in every table and file.
bool is_usual(const std::string& resource) { return resource == "cpu" || resource == "memory"; }

std::set<std::string> other_resources(const std::vector<AccountLine>& lines) {
  std::set<std::string> out;
  for (const AccountLine& line : lines) {
    for (const auto& [name, used] : line.run.use.resource_seconds) {
      if (!is_usual(name)) out.insert(name);
    }
  }
  return out;
}

double used_of(const AccountLine& line, const std::string& resource) {
  const auto found = line.run.use.resource_seconds.find(resource);
  return found == line.run.use.resource_seconds.end() ? 0 : found->second;
}

// With two digits after the point.
std::string fixed(double value) {
  std::array<char, 400> text{};  // the longest double has 309 digits before it
  const int size = std::snprintf(text.data(), text.size(), "%.2f", value);
  return {text.data(), static_cast<std::size_t>(std::max(size, 0))};
}

// In hours, and of what is counted in bytes in GiB.
std::string hours(double amount_seconds, const std::string& resource = "") {
  const double unit = api::is_in_bytes(resource) ? kGiB : 1;
  return fixed(amount_seconds / unit / kSecondsOfHour);
}

std::string exact(double value) { return dump(api::number_of(value)); }

std::string upper_case(std::string text) {
  for (char& c : text) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return text;
}

std::string time_text(const std::optional<std::chrono::sys_seconds>& time) {
  return time ? rfc3339(*time) : "";
}

// The columns of a table or a file: headings, and a text for each line.
class Columns {
 public:
  explicit Columns(const std::vector<AccountLine>& lines)
      : lines_(lines), rows_(lines.size() + 1) {}

  template <class F>
  void add(const std::string& heading, const F& text_of) {
    rows_[0].push_back({heading});
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      rows_[i + 1].push_back({text_of(lines_[i])});
    }
  }
  std::vector<Row> rows() && { return std::move(rows_); }
  const std::vector<AccountLine>& lines() const { return lines_; }

 private:
  const std::vector<AccountLine>& lines_;
  std::vector<Row> rows_;
};

// What is asked for: which runs a line is about.
void add_keys(Columns& to, const AccountQuery& query, bool upper, bool accounts) {
  const auto heading = [&](const char* name) { return upper ? upper_case(name) : name; };
  const bool is_run = query.by == AccountBy::Run;
  if (query.namespaces || query.by == AccountBy::Namespace) {
    to.add(heading("namespace"), [](const AccountLine& line) { return line.ns; });
  }
  if (is_run || query.by == AccountBy::Name) {
    to.add(heading("name"), [](const AccountLine& line) { return line.run.name; });
  }
  if (query.by == AccountBy::Account || (is_run && accounts)) {
    to.add(heading("account"), [](const AccountLine& line) { return line.run.account; });
  }
}

std::string ran(const AccountLine& line) {
  return line.run.started ? short_duration(line.run.ended - *line.run.started) : "";
}

// The number of runs in place of that of pods, where a line has several.
std::string pods_text(const AccountLine& line) {
  return line.run.pods > 0 ? std::to_string(line.run.pods) : "";
}

AccountLine total_of(const std::vector<AccountLine>& lines) {
  AccountLine out{.ns = "", .run = {}, .runs = 0};
  for (const AccountLine& line : lines) {
    out.runs += line.runs;
    api::add_use(out.run.use, line.run.use, kEveryResource);
  }
  return out;
}

void add_runs(Columns& to) {
  to.add("RESULT", [](const AccountLine& line) { return line.run.result; });
  to.add("PODS", pods_text);
  to.add("STARTED", [](const AccountLine& line) { return time_text(line.run.started); });
  to.add("RAN", ran);
}

void add_hours(Columns& to, const std::set<std::string>& others) {
  to.add("WAITED", [](const AccountLine& line) {
    return short_duration(seconds(line.run.use.wait_seconds));
  });
  to.add("POD-HOURS", [](const AccountLine& line) {
    return hours(static_cast<double>(line.run.use.pod_seconds));
  });
  to.add("CPU-HOURS", [](const AccountLine& line) { return hours(used_of(line, "cpu")); });
  to.add("MEMORY-GIB-HOURS",
         [](const AccountLine& line) { return hours(used_of(line, "memory"), "memory"); });
  for (const std::string& name : others) {
    const char* unit = api::is_in_bytes(name) ? "-GIB-HOURS" : "-HOURS";
    to.add(upper_case(name) + unit,
           [&name](const AccountLine& line) { return hours(used_of(line, name), name); });
  }
}

// What a spreadsheet or a program adds up.
void add_seconds(Columns& to, const std::set<std::string>& others) {
  to.add("pod_seconds",
         [](const AccountLine& line) { return std::to_string(line.run.use.pod_seconds); });
  to.add("wait_seconds",
         [](const AccountLine& line) { return std::to_string(line.run.use.wait_seconds); });
  to.add("preemptions",
         [](const AccountLine& line) { return std::to_string(line.run.use.preemptions); });
  to.add("lost_pod_seconds",
         [](const AccountLine& line) { return std::to_string(line.run.use.lost_pod_seconds); });
  to.add("cpu_core_seconds", [](const AccountLine& line) { return exact(used_of(line, "cpu")); });
  to.add("memory_byte_seconds",
         [](const AccountLine& line) { return exact(used_of(line, "memory")); });
  for (const std::string& name : others) {
    to.add(name + (api::is_in_bytes(name) ? "_byte_seconds" : "_seconds"),
           [&name](const AccountLine& line) { return exact(used_of(line, name)); });
  }
}

void add_details(Columns& to) {
  to.add("result", [](const AccountLine& line) { return line.run.result; });
  to.add("exit_code", [](const AccountLine& line) {
    return line.run.exit_code ? std::to_string(*line.run.exit_code) : "";
  });
  to.add("pods", pods_text);
  to.add("created", [](const AccountLine& line) { return time_text(line.run.created); });
  to.add("started", [](const AccountLine& line) { return time_text(line.run.started); });
  to.add("ended", [](const AccountLine& line) {
    return line.run.job.empty() ? "" : rfc3339(line.run.ended);
  });
}

// Users can write anything into a record. A spreadsheet takes a text that begins with one of these
// for a formula, unless a ' is before it.
std::string csv_field(std::string text) {
  text = one_line(std::move(text));
  if (text.find_first_of("=+-@") == 0) text.insert(0, "'");
  if (text.find_first_of(",\"") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + "\"";
}

std::vector<Row> all_columns(const std::vector<AccountLine>& lines, const AccountQuery& query) {
  AccountQuery with_namespace = query;
  if (query.by == AccountBy::Run) with_namespace.namespaces = true;
  Columns columns(lines);
  add_keys(columns, with_namespace, false, true);
  columns.add("runs", [](const AccountLine& line) { return std::to_string(line.runs); });
  if (query.by == AccountBy::Run) add_details(columns);
  add_seconds(columns, other_resources(lines));
  if (query.by == AccountBy::Run) {
    columns.add("uid", [](const AccountLine& line) { return line.run.cluster; });
    columns.add("job_uid", [](const AccountLine& line) { return line.run.job; });
  }
  return std::move(columns).rows();
}

// Columns that are texts even if they look like numbers, such as a name.
const std::set<std::string> kTexts = {"namespace", "name", "account", "result", "uid", "job_uid"};

}  // namespace

std::vector<AccountLine> account_lines(const std::vector<NamespaceAccounts>& all,
                                       const AccountQuery& query) {
  std::vector<AccountLine> earlier, out;
  for (const auto& [ns, accounts] : all) {
    for (const auto& [job, run] : accounts.runs) {
      if (is_wanted(run.ended, query)) out.push_back({.ns = ns, .run = run});
    }
    if (!has_earlier(accounts, query)) continue;
    for (const auto& [account, sums] : accounts.earlier) {
      earlier.push_back(earlier_line(ns, account, sums));
    }
  }
  std::ranges::stable_sort(out, {}, [](const AccountLine& line) { return line.run.ended; });
  out.insert(out.begin(), earlier.begin(), earlier.end());
  return query.by == AccountBy::Run ? out : summed_up(out, query);
}

std::string account_warning(const std::vector<NamespaceAccounts>& all, const AccountQuery& query) {
  if (!query.since) return "";
  const bool has = std::ranges::any_of(
      all, [&](const NamespaceAccounts& one) { return has_earlier(one.accounts, query); });
  return has ? "the sums of earlier runs also include runs that ended before --since" : "";
}

std::vector<Row> account_table(const std::vector<AccountLine>& lines, const AccountQuery& query) {
  std::vector<AccountLine> with_total = lines;
  with_total.push_back(total_of(lines));
  const bool accounts =
      std::ranges::any_of(lines, [](const AccountLine& line) { return !line.run.account.empty(); });
  Columns columns(with_total);
  add_keys(columns, query, true, accounts);
  if (query.by == AccountBy::Run) {
    add_runs(columns);
  } else {
    columns.add("RUNS", [](const AccountLine& line) { return std::to_string(line.runs); });
  }
  add_hours(columns, other_resources(lines));
  std::vector<Row> rows = std::move(columns).rows();
  rows.back().front().text = "TOTAL";
  if (query.by != AccountBy::Run) return rows;
  const std::size_t result = 1 + (query.namespaces ? 1U : 0U) + (accounts ? 1U : 0U);
  for (Row& row : rows) row[result].tint = tint_of(row[result].text);
  return rows;
}

std::vector<std::string> account_csv(const std::vector<AccountLine>& lines,
                                     const AccountQuery& query) {
  std::vector<std::string> out;
  for (const Row& row : all_columns(lines, query)) {
    std::vector<std::string> fields;
    for (const Cell& cell : row) fields.push_back(csv_field(cell.text));
    out.push_back(joined(fields, ","));
  }
  return out;
}

json account_json(const std::vector<AccountLine>& lines, const AccountQuery& query) {
  const std::vector<Row> rows = all_columns(lines, query);
  json out = json::array();
  for (std::size_t i = 1; i < rows.size(); ++i) {
    json& line = out.emplace_back(json::object());
    for (std::size_t column = 0; column < rows[i].size(); ++column) {
      const std::string& heading = rows[0][column].text;
      const std::string& text = rows[i][column].text;
      if (text.empty()) continue;
      const json number = json::parse(text, nullptr, false);
      line[heading] = !kTexts.contains(heading) && number.is_number() ? number : json(text);
    }
  }
  return out;
}

std::expected<Time, std::string> since_of(const std::string& text, Time now) {
  const bool has_unit = !text.empty() && is_letter(text.back()) && text.back() != 'Z';
  if (const auto ago = has_unit ? seconds_of_time_limit(text) : std::nullopt) {
    // Longer ago than any record, and not before the first time that a clock has.
    constexpr seconds kMost = std::chrono::years(100);
    return now - std::min(seconds(*ago), kMost);
  }
  if (const auto time = parse_rfc3339(text)) return *time;
  if (const auto day = parse_rfc3339(text + "T00:00:00Z")) return *day;
  return std::unexpected(text + ": expected how long ago, such as 7d or 12h, a day such as " +
                         "2026-11-01, or a time such as 2026-11-01T08:00:00Z");
}

}  // namespace mc::kubectl
