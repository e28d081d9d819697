#include "services/controller/queueing/condition.h"

#include "common/base/rfc3339.h"

namespace mc::controller::queueing {
namespace {

api::Condition not_reserved(api::KnownReason reason, std::string message, const std::string& note) {
  if (!note.empty()) message += " " + note;
  return {std::string(api::kQuotaReserved), false, reason, std::move(message)};
}

// "cluster-wide limit is 64"
std::string limit(const Shortage& shortage) {
  return std::string(shortage.scope == Shortage::Scope::Namespace ? "limit of the namespace"
                                                                  : "cluster-wide limit") +
         " is " + api::shown(shortage.resource, shortage.hard);
}

// What is counted is not waited for itself: "room for 1 pod".
std::string missing(const Shortage& shortage) {
  const bool counted = shortage.resource == "pods" || shortage.resource == "miniclusters";
  return std::string("Waiting for ") + (counted ? "room for " : "") +
         api::amount_of(shortage.resource, shortage.missing) + ". The " + limit(shortage) + ".";
}

std::string start_promised(const std::optional<Time>& start, Time now) {
  if (!start) return "";
  if (*start > now) return " It starts at " + rfc3339(*start) + " at the latest.";
  return " It starts once the MiniClusters that are past their deadline have stopped.";
}

// 1250 is "1.25".
std::string decimal(std::int64_t thousandths) {
  const std::string hundredths = std::to_string(thousandths % 1000 / 10);
  return std::to_string(thousandths / 1000) + (hundredths.size() == 1 ? ".0" : ".") + hundredths;
}

}  // namespace

std::string priority_terms(std::int32_t priority, std::int64_t fair_share, std::int64_t age) {
  constexpr std::int64_t kStep = 50;
  return "Priority: class " + std::to_string(priority) + ", fair share " + decimal(fair_share) +
         ", age " + decimal(age / kStep * kStep) + ".";
}

api::Condition waiting(const Reason& reason, std::size_t place, Time now, const std::string& note) {
  std::string message = "Place " + std::to_string(place) + " in the queue.";
  if (reason.shortage) {
    message += " " + missing(*reason.shortage);
  } else {
    message += " There is room, but MiniClusters ahead of it in the queue start first.";
  }
  message += start_promised(reason.promised, now);
  api::Condition out = not_reserved(api::kReasonWaiting, std::move(message), note);
  out.position = static_cast<std::int64_t>(place);
  out.promised_start = reason.promised;
  return out;
}

api::Condition waiting_behind(std::size_t ahead, const std::optional<Time>& promised, Time now,
                              const std::string& note) {
  std::size_t at_least = kExactPlaces;
  while (at_least < kMostTold && ahead >= at_least * 10) at_least *= 10;
  api::Condition out = not_reserved(api::kReasonWaiting,
                                    "At least " + std::to_string(at_least) +
                                        " MiniClusters are ahead of it in the queue." +
                                        start_promised(promised, now),
                                    note);
  out.position = static_cast<std::int64_t>(at_least) + 1;
  out.promised_start = promised;
  return out;
}

api::Condition never_fits(const Shortage& shortage, const std::string& note) {
  const std::string needed = api::amount_of(shortage.resource, shortage.hard + shortage.missing);
  return not_reserved(api::kReasonNeverFits,
                      "The MiniCluster needs " + needed + ", but the " + limit(shortage) + ".",
                      note);
}

api::Condition waiting_for_setup(const std::string& why) {
  return not_reserved(api::kReasonWaiting, why, "");
}

api::Condition not_growing(const Shortage& shortage, std::int64_t size, std::int64_t wanted) {
  return {std::string(api::kQuotaReserved), true, api::kReasonGrowthWaits,
          "The Job keeps " + std::to_string(size) + " pods instead of " + std::to_string(wanted) +
              ". " + missing(shortage)};
}

}  // namespace mc::controller::queueing
