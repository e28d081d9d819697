#include "services/controller/queueing/scheduler.h"

#include <algorithm>
#include <tuple>

#include "services/controller/queueing/round.h"

namespace mc::controller::queueing {
namespace {

const Waiting* promised_one(const Limits& limits, const std::vector<const Waiting*>& order) {
  if (limits.strategy != Strategy::EASYBackfill) return nullptr;
  const auto found =
      std::ranges::find_if(order, [](const Waiting* w) { return w->promised.has_value(); });
  return found == order.end() ? nullptr : *found;
}

}  // namespace

bool before(const Waiting& a, const Waiting& b) {
  if (a.priority != b.priority) return a.priority > b.priority;
  return std::tie(a.created, a.name, a.ns) < std::tie(b.created, b.name, b.ns);
}

std::optional<Time> end_of(const Waiting& waiting, Time now) {
  if (!waiting.longest || *waiting.longest >= Time::max() - now) return std::nullopt;
  return now + *waiting.longest;
}

api::Amounts hard_of(const Limits& limits, std::string_view ns) {
  api::Amounts strictest;
  const auto found = limits.namespaces.find(ns);
  if (found == limits.namespaces.end()) return strictest;
  for (const api::Amounts& hard : found->second) {
    for (const auto& [name, amount] : hard) {
      const auto [known, added] = strictest.emplace(name, amount);
      if (!added) known->second = std::min(known->second, amount);
    }
  }
  return strictest;
}

Decision decide(Time now, const Limits& limits, const std::vector<Running>& running,
                const std::vector<Waiting>& waiting) {
  Usage usage;
  for (const Running& one : running) usage.add(one);
  Decision out;
  std::vector<const Waiting*> order;
  for (const Waiting& one : waiting) {
    if (auto never = shortage(limits, Usage{}, one.ns, one.demand)) {
      Answer& answer = out.waiting[one.key()];
      answer.never_fits = true;
      answer.shortage = std::move(never);
    } else {
      order.push_back(&one);
    }
  }
  std::ranges::sort(order, [](const Waiting* a, const Waiting* b) { return before(*a, *b); });

  Round round(limits, usage);
  std::vector<const Waiting*> stay;
  const Waiting* const promised = promised_one(limits, order);
  if (promised != nullptr && round.keep_promise(*promised, now)) {
    out.start.push_back(promised->key());
    std::erase(order, promised);
  }
  for (const Waiting* one : order) {
    if (round.visit(*one, now)) {
      out.start.push_back(one->key());
    } else {
      stay.push_back(one);
    }
  }
  for (std::size_t place = 0; place < stay.size(); ++place) {
    Answer& answer = out.waiting[stay[place]->key()];
    answer = round.answer(*stay[place], now);
    answer.place = place + 1;
  }
  return out;
}

}  // namespace mc::controller::queueing
