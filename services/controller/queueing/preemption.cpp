#include "services/controller/queueing/preemption.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

namespace mc::controller::queueing {
namespace {

bool comes_first(const Holder& a, const Holder& b) {
  return std::tie(a.priority, b.started, a.key) < std::tie(b.priority, a.started, b.key);
}

// Those that the decision has not admitted and that start once there is room, in the order of the
// queue.
std::vector<const Waiting*> asking(Schedule& schedule, const Pending& pending) {
  if (schedule.head() != nullptr) return {schedule.head()};
  const std::set<const Waiting*> admitted(schedule.admitted().begin(), schedule.admitted().end());
  Snapshot left = schedule.left();
  std::vector<const Waiting*> out;
  for (const Waiting& one : pending) {
    if (out.size() == kMostPreemptors) break;
    if (admitted.contains(&one) || schedule.is_held_back(one)) continue;
    if (left.never_fits(one.ns, one.demand)) continue;
    out.push_back(&one);
  }
  return out;
}

// Who of `holders`, in their order, must go for `waiting` to fit; nothing if that does not suffice.
std::optional<std::vector<const Holder*>> victims_of(const Waiting& waiting, Snapshot left,
                                                     const std::vector<Holder>& holders) {
  std::vector<const Holder*> out;
  const auto fits = [&] { return !left.shortage(waiting.ns, waiting.demand); };
  for (const Holder& one : holders) {
    if (fits()) break;
    if (one.priority >= waiting.priority) break;
    out.push_back(&one);
    left.give(one.ns, one.amounts);
  }
  if (!fits()) return std::nullopt;
  // The last to be chosen is needed. Of the others, those of the highest priority are spared first.
  std::vector<const Holder*> needed;
  for (auto one = out.rbegin(); one != out.rend(); ++one) {
    left.take((*one)->ns, (*one)->amounts);
    if (fits()) continue;
    left.give((*one)->ns, (*one)->amounts);
    needed.push_back(*one);
  }
  return needed;
}

}  // namespace

Preemption preempt(Schedule& schedule, const Pending& pending, std::vector<Holder> holders) {
  Preemption out;
  Snapshot left = schedule.left();
  // Only what victims leave is kept for those for whom they go.
  const bool is_room_coming = std::ranges::any_of(
      holders, [](const Holder& one) { return one.is_leaving && one.was_preempted; });
  for (const Holder& one : holders) {
    if (one.is_leaving) left.give(one.ns, one.amounts);
  }
  std::erase_if(holders, [](const Holder& one) { return one.is_leaving; });
  std::ranges::sort(holders, comes_first);
  const std::vector<const Waiting*> all = asking(schedule, pending);
  for (const Waiting* one : all) {
    if (schedule.keeps_room_for(*one)) left.give(one->ns, one->demand);
  }
  for (const Waiting* one : all) {
    const auto victims = victims_of(*one, left, holders);
    if (!victims || (victims->empty() && !is_room_coming)) continue;
    out.room_for.insert(one->key());
    std::set<std::string> chosen;
    for (const Holder* victim : *victims) {
      left.give(victim->ns, victim->amounts);
      chosen.insert(victim->key);
    }
    left.take(one->ns, one->demand);
    std::erase_if(holders, [&](const Holder& holder) { return chosen.contains(holder.key); });
    out.victims.merge(chosen);
  }
  return out;
}

}  // namespace mc::controller::queueing
