#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "common/api/model/conditions.h"
#include "services/controller/queueing/scheduler.h"

// The condition QuotaReserved, for people. It names no other tenant's objects. `note` is a sentence
// more, or "". Pure.
namespace mc::controller::queueing {

// The places that are told exactly. Beyond them, the condition changes at 10, 100 and 1000 only, so
// that one admission does not change the status of everybody who waits.
inline constexpr std::size_t kExactPlaces = api::kExactPositions;
inline constexpr std::size_t kMostTold = 1000;

// With fair share, the first that are told what makes up their place.
inline constexpr std::size_t kExplainedPlaces = 100;

// What makes up the place in the queue, as a sentence: the value of the priority class, and the
// fair share and the age, both in thousandths. The age is shown in steps of 50, so that the
// sentence changes rarely.
std::string priority_terms(std::int32_t priority, std::int64_t fair_share, std::int64_t age);

// Why one waits at this place of the queue, from 1.
api::Condition waiting(const Reason& reason, std::size_t place, Time now, const std::string& note);

// The same for one with `ahead` others before it, at least kExactPlaces. `promised`: its start
// (Reason).
api::Condition waiting_behind(std::size_t ahead, const std::optional<Time>& promised, Time now,
                              const std::string& note);

// Its demand is more than a limit.
api::Condition never_fits(const Shortage& shortage, const std::string& note);

// For everybody, while nobody may start. `why` is a sentence.
api::Condition waiting_for_setup(const std::string& why);

// Why it keeps the pods that it has, while spec.size says `wanted`.
api::Condition not_growing(const Shortage& shortage, std::int64_t size, std::int64_t wanted);

}  // namespace mc::controller::queueing
