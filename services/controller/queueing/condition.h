#pragma once
#include <cstddef>
#include <string>

#include "common/api/model/conditions.h"
#include "services/controller/queueing/scheduler.h"

// The condition QuotaReserved, for people. It names no other tenant's objects. Pure.
namespace mc::controller::queueing {

// The places that are told exactly. Beyond them, the condition changes at 10, 100 and 1000 only, so
// that one admission does not change the status of everybody who waits.
inline constexpr std::size_t kExactPlaces = 10;
inline constexpr std::size_t kMostTold = 1000;

// Why one waits. `note` is a sentence more, or "".
api::Condition waiting(const queueing::Answer& answer, queueing::Time now, const std::string& note);

// The same for one with at least `before` others before it.
api::Condition waiting_behind(std::size_t before, const std::string& note);

// For everybody, while nobody may start. `why` is a sentence.
api::Condition waiting_for_setup(const std::string& why);

// Why it keeps the pods that it has, while spec.size says `wanted`.
api::Condition not_growing(const queueing::Shortage& shortage, std::int64_t size,
                           std::int64_t wanted);

}  // namespace mc::controller::queueing
