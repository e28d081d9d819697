#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "services/controller/cluster/types.h"

// What a pod says. Pure.
namespace mc::controller {

// Whether the pod's label job-index is its completion index; true if it has no such index.
bool has_index_label(const Pod& pod);

bool has_failed(const Pod& pod);
// It has succeeded or failed, and will not run again.
bool is_over(const Pod& pod);

// Sorted by completion index, the youngest pod of an index first.
std::vector<const Pod*> in_order(const Pods& pods);

// The current pods, as in_order(): for each index the youngest pod that has started, and the
// pending pods that are younger. Without pods that are being deleted.
std::vector<const Pod*> current(const Pods& pods);

// `pod NAME` and `pod NAME, container NAME`.
std::string pod_name(const Pod& pod);
std::string container_name(const Pod& pod, const Container& container);

// Its containers, init containers first.
std::vector<const Container*> containers_of(const Pod& pod);
// The container of that name, or null. Init containers are left out.
const Container* container_of(const Pod& pod, const std::string& name);

// True if it has ended and was not restarted.
bool is_over(const Container& container);
// Of its last run that ended. If no run has ended, the code is 0 and there is no time.
std::int64_t exit_code(const Container& container);
std::optional<Time> end_time(const Container& container);
bool is_oom_killed(const Container& container);

// The name of a container that still runs, and so keeps the pod from ending, although the one named
// `runner` has ended; "" without one. Somebody else has added it, for example a service mesh.
std::string held_by(const Pod& pod, const std::string& runner);

// True if the kubelet has not started any container of the pod, so that an event "FailedMount" may
// still hold.
bool is_being_prepared(const Pod& pod);

// What it says of jobs that had to be ended with it (reported_outlived); "" if nothing.
std::string_view outlived_on(const Pod& pod);

// `ended with code 7: last words`.
std::string how_it_ended(const Container& container);
// `: last words` of its last run that ended; empty if there are none.
std::string last_words_of(const Container& container);

}  // namespace mc::controller
