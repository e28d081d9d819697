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
// message is cut to the 1024 bytes that the API server takes, between characters. The name is that
// of the object and the time, so that each event is one of its own.
json make_event(const json& object, EventType type, std::string_view reason,
                std::string_view message, const Reporter& reporter,
                std::chrono::system_clock::time_point now);

}  // namespace mc::kube
