#include "services/controller/queueing/dump.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <ranges>
#include <string>
#include <string_view>
#include <utility>

#include "common/api/model/conditions.h"
#include "common/api/model/quantity.h"
#include "common/base/rfc3339.h"
#include "services/controller/queueing/condition.h"
#include "services/controller/queueing/usage.h"

namespace mc::controller::queueing {
namespace {

// "cpu 4, memory 8Gi"
std::string text(const api::Amounts& amounts) {
  std::string out;
  for (const auto& [resource, amount] : amounts) {
    if (!out.empty()) out += ", ";
    out += resource + " " + api::shown(resource, amount);
  }
  return out;
}

// A field that has no value is left out.
void add_field(LogLine& line, std::string_view key, std::string value) {
  if (!value.empty()) line.fields.emplace_back(key, std::move(value));
}

void add_field(LogLine& line, std::string_view key, const std::optional<Time>& value) {
  if (value) line.fields.emplace_back(key, rfc3339(*value));
}

void add_field(LogLine& line, std::string_view key, std::int64_t value) {
  line.fields.emplace_back(key, std::to_string(value));
}

LogLine line_of(const Setups& setups) {
  LogLine out{"Dump: FluxSetups"};
  add_field(out, "inForce", setups.in_force ? setups.in_force->metadata.name : "");
  add_field(out, "superseded", static_cast<std::int64_t>(setups.older.size()));
  add_field(out, "invalid", static_cast<std::int64_t>(setups.invalid.size()));
  return out;
}

LogLine without_queue(const LoopContents& contents) {
  std::string why = "No FluxSetup limits MiniClusters";
  if (!contents.ready) why = "The admission log has not been read yet; reconciles wait for it";
  if (!contents.leads) why = "Only the leader decides, once its caches are filled";
  if (!contents.enabled) why = "FluxSetups have no effect if the controller has --namespaces";
  return {"Dump: queue", {{"decides", "nothing"}, {"reason", std::move(why)}}};
}

LogLine line_of(const QueueContents& queue) {
  LogLine out{"Dump: queue"};
  if (queue.policy) {
    add_field(out, "fluxSetup", queue.policy->setup);
    add_field(out, "queueingStrategy", name_of(queue.policy->limits.strategy));
  } else {
    add_field(out, "reason", queue.why);
  }
  add_field(out, "admitted", static_cast<std::int64_t>(queue.admitted_count));
  add_field(out, "underWay", static_cast<std::int64_t>(queue.under_way));
  add_field(out, "waiting", static_cast<std::int64_t>(queue.pending_count));
  add_field(out, "growing", static_cast<std::int64_t>(queue.growing_count));
  add_field(out, "head", queue.head);
  add_field(out, "promisedStart", queue.promise);
  return out;
}

LogLine limit_of(const std::string& ns, const api::Amounts& hard, const api::Amounts& used) {
  LogLine out{"Dump: limit"};
  add_field(out, "namespace", ns);
  add_field(out, "hard", text(hard));
  add_field(out, "used", text(used_of(hard, used)));
  return out;
}

LogLine line_of(const QueueContents::Admitted& one) {
  LogLine out{"Dump: admitted", {{"minicluster", one.running.key}}};
  add_field(out, "jobUID", one.job);
  add_field(out, "pods", one.pods);
  if (one.grant > 0) add_field(out, "grantedPods", one.grant);
  add_field(out, "amounts", text(one.running.amounts));
  add_field(out, "endsBy", one.running.end);
  return out;
}

// `place`: in the queue, from 1, as its condition has it: those that never fit have none.
LogLine line_of(const QueueContents& queue, const QueueContents::InQueue& one, std::size_t place) {
  LogLine out{"Dump: waiting", {{"minicluster", one.waiting.key()}}};
  if (!one.never) add_field(out, "place", static_cast<std::int64_t>(place));
  add_field(out, "priority", one.waiting.priority);
  add_field(out, "created", one.waiting.created);
  if (one.fair_share) {
    add_field(out, "account", one.waiting.account);
    add_field(out, "fairSharePermille", one.fair_share->exact);
    add_field(out, "aheadSeconds", one.waiting.ahead.count());
  }
  add_field(out, "pods", one.pods);
  add_field(out, "amounts", text(one.waiting.demand));
  if (!queue.policy) return out;
  if (one.next) {
    add_field(out, "reason", "StartsNext");
    return out;
  }
  const api::Condition condition =
      one.never ? never_fits(*one.never, "") : waiting(one.reason, place, queue.now, "");
  add_field(out, "reason", condition.reason);
  add_field(out, "message", condition.message);
  add_field(out, "behind", one.reason.behind);
  add_field(out, "estimatedStart", one.estimate);
  return out;
}

LogLine line_of(const QueueContents::Growing& one) {
  LogLine out{"Dump: growing", {{"minicluster", one.key}}};
  add_field(out, "pods", one.pods);
  add_field(out, "wantedPods", one.wanted);
  if (one.shortage) {
    add_field(out, "message", not_growing(*one.shortage, one.pods, one.wanted).message);
  }
  return out;
}

// `use`: in millionths of all limits.
LogLine line_of(const Account& account, double use) {
  LogLine out{"Dump: use", {{"namespace", account.ns}}};
  add_field(out, "account", account.name);
  add_field(out, "useMillionths", std::llround(use * 1e6));
  return out;
}

// How many of a list have no line.
void add_rest(std::vector<LogLine>& out, const std::string& of, std::size_t all,
              std::size_t written) {
  if (all <= written) return;
  out.push_back({"Dump: more", {{"of", of}, {"count", std::to_string(all - written)}}});
}

void add_limits(std::vector<LogLine>& out, const QueueContents& queue, std::size_t most) {
  if (!queue.policy) return;
  const Limits& limits = queue.policy->limits;
  out.push_back(limit_of("", limits.hard, queue.used));
  std::size_t all = 0, written = 0;
  for (const auto& [ns, of_namespace] : limits.namespaces) {
    all += of_namespace.size();
    for (const api::Amounts& hard : of_namespace) {
      if (written == most) break;
      out.push_back(limit_of(ns, hard, queue.used_in.at(ns)));
      ++written;
    }
  }
  add_rest(out, "limits", all, written);
}

// The largest first.
void add_uses(std::vector<LogLine>& out, const Uses& uses, std::size_t most) {
  std::vector<std::pair<double, Account>> all;
  all.reserve(uses.of.size());
  for (const auto& [account, use] : uses.of) all.emplace_back(use, account);
  std::ranges::sort(all, std::greater());
  for (const auto& [use, account] : all | std::views::take(most)) {
    out.push_back(line_of(account, use));
  }
  add_rest(out, "uses", all.size(), std::min(all.size(), most));
}

}  // namespace

std::vector<LogLine> dump_of(const LoopContents& contents, std::size_t most) {
  std::vector<LogLine> out;
  if (contents.enabled) out.push_back(line_of(contents.setups));
  if (!contents.queue) {
    out.push_back(without_queue(contents));
    return out;
  }
  const QueueContents& queue = *contents.queue;
  out.push_back(line_of(queue));
  add_limits(out, queue, most);
  add_uses(out, queue.uses, most);
  for (const auto& one : queue.admitted) out.push_back(line_of(one));
  add_rest(out, "admitted", queue.admitted_count, queue.admitted.size());
  std::size_t place = 1;
  for (const auto& one : queue.pending) {
    out.push_back(line_of(queue, one, place));
    if (!one.never) ++place;
  }
  add_rest(out, "waiting", queue.pending_count, queue.pending.size());
  for (const auto& one : queue.growing) out.push_back(line_of(one));
  add_rest(out, "growing", queue.growing_count, queue.growing.size());
  return out;
}

}  // namespace mc::controller::queueing
