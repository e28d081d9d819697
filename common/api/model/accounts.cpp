#include "common/api/model/accounts.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "common/base/rfc3339.h"

namespace mc::api {
namespace {

using Seconds = std::chrono::sys_seconds;

// Beyond this, a double does not have every whole number.
constexpr double kExact = 9e15;

// What somebody wrote by hand counts no more than this, so that no sum overflows.
constexpr std::int64_t kMostCount = 1'000'000'000'000'000;
constexpr double kMostAmount = 1e30;

std::optional<Seconds> time_at(const json& from, const char* member) {
  const auto time = parse_rfc3339(text_at(from, {member}));
  if (!time) return std::nullopt;
  return std::chrono::floor<std::chrono::seconds>(*time);
}

json use_json(const Use& use) {
  json out = {{"podSeconds", use.pod_seconds}, {"waitSeconds", use.wait_seconds}};
  if (use.preemptions > 0) out["preemptions"] = use.preemptions;
  if (use.lost_pod_seconds > 0) out["lostPodSeconds"] = use.lost_pod_seconds;
  json& resources = out["resourceSeconds"] = json::object();
  for (const auto& [name, value] : use.resource_seconds) resources[name] = number_of(value);
  return out;
}

// Nothing if a number is missing or negative.
std::optional<Use> read_use(const json& from) {
  Use out{.pod_seconds = integer_at(from, {"podSeconds"}, -1),
          .resource_seconds = {},
          .wait_seconds = integer_at(from, {"waitSeconds"}, -1),
          .preemptions = integer_at(from, {"preemptions"}),
          .lost_pod_seconds = integer_at(from, {"lostPodSeconds"})};
  for (std::int64_t* const count :
       {&out.pod_seconds, &out.wait_seconds, &out.preemptions, &out.lost_pod_seconds}) {
    if (*count < 0) return std::nullopt;
    *count = std::min(*count, kMostCount);
  }
  const json& resources = at_path(from, {"resourceSeconds"});
  if (!resources.is_object()) return out;
  for (const auto& [name, value] : resources.items()) {
    if (!value.is_number() || value.get<double>() < 0) return std::nullopt;
    out.resource_seconds.emplace(name, std::min(value.get<double>(), kMostAmount));
  }
  return out;
}

std::optional<RunRecord> read_run(const std::string& job, const json& from) {
  auto use = read_use(from);
  const auto ended = time_at(from, "ended");
  RunRecord out{.job = job,
                .name = text_at(from, {"name"}),
                .cluster = text_at(from, {"uid"}),
                .account = text_at(from, {"account"}),
                .pods = integer_at(from, {"pods"}),
                .created = time_at(from, "created"),
                .started = time_at(from, "started"),
                .ended = ended.value_or(Seconds()),
                .result = text_at(from, {"result"}),
                .exit_code = as_integer(at_path(from, {"exitCode"})),
                .use = {}};
  if (!use || !ended || out.name.empty()) return std::nullopt;
  out.use = *std::move(use);
  return out;
}

void read_earlier(const json& from, Accounts& out) {
  const json& accounts = at_path(from, {"accounts"});
  if (!accounts.is_object()) return;
  out.until = time_at(from, "until");
  for (const auto& [name, sums] : accounts.items()) {
    const std::int64_t runs = std::min(integer_at(sums, {"runs"}), kMostCount);
    auto use = read_use(sums);
    if (runs > 0 && use) out.earlier.emplace(name, EarlierRuns{runs, *std::move(use)});
  }
}

json run_json(const RunRecord& run) {
  json out = use_json(run.use);
  out["name"] = run.name;
  out["uid"] = run.cluster;
  if (!run.account.empty()) out["account"] = run.account;
  out["pods"] = run.pods;
  if (run.created) out["created"] = rfc3339(*run.created);
  if (run.started) out["started"] = rfc3339(*run.started);
  out["ended"] = rfc3339(run.ended);
  out["result"] = run.result;
  if (run.exit_code) out["exitCode"] = *run.exit_code;
  return out;
}

}  // namespace

json number_of(double value) {
  const bool is_whole = std::abs(value) < kExact && std::trunc(value) == value;
  return is_whole ? json(static_cast<std::int64_t>(value)) : json(value);
}

Accounts read_accounts(const json& config_map) {
  Accounts out;
  const json& data = at_path(config_map, {"data"});
  if (!data.is_object()) return out;
  for (const auto& [key, text] : data.items()) {
    if (!text.is_string()) continue;
    const json value = json::parse(text.get_ref<const std::string&>(), nullptr, false);
    if (key == kEarlierKey) {
      read_earlier(value, out);
    } else if (auto run = read_run(key, value)) {
      out.runs.emplace(key, *std::move(run));
    }
  }
  return out;
}

std::string run_text(const RunRecord& run) {
  json out = run_json(run);
  json& resources = out["resourceSeconds"];
  std::string text = dump(out);
  while (text.size() > kMostRunText && !resources.empty()) {
    resources.erase(std::prev(resources.end()));
    text = dump(out);
  }
  return text;
}

std::string earlier_text(const Accounts& accounts) {
  json out = {{"accounts", json::object()}};
  if (accounts.until) out["until"] = rfc3339(*accounts.until);
  for (const auto& [name, sums] : accounts.earlier) {
    json& to = out["accounts"][name] = use_json(sums.use);
    to["runs"] = sums.runs;
  }
  return dump(out);
}

void add_use(Use& sum, const Use& more, std::size_t most) {
  const auto add = [](std::int64_t& to, std::int64_t by) { to = std::min(to + by, kMostCount); };
  add(sum.pod_seconds, more.pod_seconds);
  add(sum.wait_seconds, more.wait_seconds);
  add(sum.preemptions, more.preemptions);
  add(sum.lost_pod_seconds, more.lost_pod_seconds);
  for (const auto& [name, value] : more.resource_seconds) {
    const auto there = sum.resource_seconds.find(name);
    if (there != sum.resource_seconds.end()) {
      there->second = std::min(there->second + value, kMostAmount);
    } else if (sum.resource_seconds.size() < most) {
      sum.resource_seconds.emplace(name, value);
    }
  }
}

}  // namespace mc::api
