#include "services/controller/queueing/condition.h"

#include "common/base/rfc3339.h"

namespace mc::controller::queueing {
namespace {

api::Condition not_reserved(api::KnownReason reason, std::string message, const std::string& note) {
  if (!note.empty()) message += " " + note;
  return {std::string(api::kQuotaReserved), false, reason, std::move(message)};
}

// "the limit of 64 cpu of all namespaces"
std::string limit(const Shortage& shortage) {
  return "the limit of " + api::shown(shortage.resource, shortage.hard) + " " + shortage.resource +
         (shortage.scope == Shortage::Scope::Namespace ? " of the namespace"
                                                       : " of all namespaces");
}

std::string missing(const Shortage& shortage) {
  return api::shown(shortage.resource, shortage.missing) + " " + shortage.resource +
         " must become free within " + limit(shortage);
}

}  // namespace

api::Condition waiting(const Reason& reason, std::size_t place, Time now, const std::string& note) {
  std::string message = "Place " + std::to_string(place) + " in the queue.";
  if (reason.shortage) {
    message += " " + missing(*reason.shortage) + ".";
  } else {
    message += " It fits, but those before it start first.";
  }
  if (reason.promised && *reason.promised > now) {
    message += " It starts at " + rfc3339(*reason.promised) + " or earlier.";
  } else if (reason.promised) {
    message += " It starts as soon as those have ended whose deadline has passed.";
  }
  api::Condition out = not_reserved(api::kReasonWaiting, std::move(message), note);
  out.position = static_cast<std::int64_t>(place);
  return out;
}

api::Condition waiting_behind(std::size_t ahead, const std::string& note) {
  std::size_t at_least = kExactPlaces;
  while (at_least < kMostTold && ahead >= at_least * 10) at_least *= 10;
  api::Condition out =
      not_reserved(api::kReasonWaiting,
                   "At least " + std::to_string(at_least) + " MiniClusters wait before it.", note);
  out.position = static_cast<std::int64_t>(at_least) + 1;
  return out;
}

api::Condition never_fits(const Shortage& shortage, const std::string& note) {
  const std::string needed =
      api::shown(shortage.resource, shortage.hard + shortage.missing) + " " + shortage.resource;
  return not_reserved(api::kReasonNeverFits,
                      "It needs " + needed + ", which is more than " + limit(shortage) + ".", note);
}

api::Condition waiting_for_setup(const std::string& why) {
  return not_reserved(api::kReasonWaiting, why, "");
}

api::Condition not_growing(const Shortage& shortage, std::int64_t size, std::int64_t wanted) {
  return {std::string(api::kQuotaReserved), true, api::kReasonGrowthWaits,
          "The Job keeps " + std::to_string(size) + " pods instead of " + std::to_string(wanted) +
              ": " + missing(shortage) + "."};
}

}  // namespace mc::controller::queueing
