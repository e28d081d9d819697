#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "common/base/json.h"
#include "services/controller/cache/observed.h"

// Reads a pod as cached (reduce.h). Pure.
namespace mc::controller {

// The pod's completion index; -1 if no label says it.
std::int64_t index_of(const json& pod);

// Whether the pod's label job-index is its completion index; true if it has no such index.
bool has_index_label(const json& pod);

bool has_failed(const json& pod);

bool is_ready(const json& pod);
// True if its containers were ready when its node stopped answering.
bool is_silent(const json& pod);

// Sorted by completion index, the youngest pod of an index first.
std::vector<const json*> in_order(const std::vector<Snapshot>& pods);

// The current pods, as in_order(): for each index the youngest pod that has started, and the
// pending pods that are younger. Without pods that are being deleted.
std::vector<const json*> current(const std::vector<Snapshot>& pods);

// `pod NAME` and `pod NAME, container NAME`.
std::string pod_name(const json& pod);
std::string container_name(const json& pod, const json& container);

// The statuses of its containers, init containers first.
std::vector<const json*> containers_of(const json& pod);
// The status of the container of that name, or null. Init containers are left out.
const json* container_of(const json& pod, const std::string& name);

// True if it has ended and was not restarted.
bool is_over(const json& container);
// Of its last run that ended; 0 if there is none.
std::int64_t exit_code(const json& container);
bool is_oom_killed(const json& container);

// The name of a container that still runs, and so keeps the pod from ending, although the one named
// `runner` has ended; "" without one. Somebody else has added it, for example a service mesh.
std::string held_by(const json& pod, const std::string& runner);

// True if the kubelet has not started any container of the pod, so that an event "FailedMount" may
// still hold.
bool is_being_prepared(const json& pod);

// `ended with code 7: last words`.
std::string how_it_ended(const json& container);
// `: last words` of its last run that ended; empty if there are none.
std::string last_words_of(const json& container);

}  // namespace mc::controller
