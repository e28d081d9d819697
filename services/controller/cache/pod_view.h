#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "common/base/json.h"
#include "services/controller/cache/observed.h"

// How to read a pod as it is cached (reduce.h). Pure.
namespace mc::controller {

// The pod's completion index; -1 where its label says none.
std::int64_t index_of(const json& pod);

bool has_failed(const json& pod);

// By completion index, the youngest of an index first.
std::vector<const json*> in_order(const std::vector<Snapshot>& pods);

// Those of in_order() that tell how it is now: of each index the youngest that has begun, and what
// is younger. None that is being deleted.
std::vector<const json*> current(const std::vector<Snapshot>& pods);

// `pod NAME` and `pod NAME, container NAME`.
std::string pod_name(const json& pod);
std::string container_name(const json& pod, const json& container);

// The statuses of its containers, those that come first first.
std::vector<const json*> containers_of(const json& pod);
// Null where there is none of that name, init containers left out.
const json* container_of(const json& pod, const std::string& name);

// True where it has ended and was not started again.
bool is_over(const json& container);
// Of its last end; 0 where there is none.
std::int64_t exit_code(const json& container);
bool is_oom_killed(const json& container);

// True where a kubelet still has to make a pod's first container, which an event "FailedMount" may
// be about.
bool is_being_prepared(const json& pod);

// `ended with code 7: last words`.
std::string how_it_ended(const json& container);
// `: last words` of its last end; empty where it said nothing.
std::string last_words_of(const json& container);

}  // namespace mc::controller
