#pragma once
#include <chrono>
#include <string>
#include <string_view>

#include "common/base/json.h"

namespace mc::kube {

enum class EventType { Normal, Warning };

// Who reports, as `kubectl describe` shows it under "From".
struct Reporter {
  std::string controller;  // "minicluster-controller"
  std::string instance;    // the pod's name
};

// The core/v1 Event that says `message` about `object`, in its namespace ("default" for objects of
// the whole cluster), ready for request::create(kEvents, ...). `reason` is a CamelCase word. The
// message is cut to the 1024 bytes that the API server takes, between characters. The name is made
// of the object's name, its uid, the type and the reason: what is said again is the same event,
// which then counts (again()).
json make_event(const json& object, EventType type, std::string_view reason,
                std::string_view message, const Reporter& reporter,
                std::chrono::system_clock::time_point now);

// The merge patch that says once more what `there`, the event of that name, says already. Tests its
// uid and version.
json again(const json& there, const json& event);

}  // namespace mc::kube
