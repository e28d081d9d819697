#pragma once
#include <chrono>
#include <string>
#include <string_view>

#include "common/base/json.h"
#include "common/base/result.h"

namespace mc::kube {

class Client;

enum class EventType { Normal, Warning };

// Who reports, as `kubectl describe` shows it under "From".
struct EventSource {
  std::string reporting_component;  // the program
  std::string reporting_instance;   // the pod's name
};

// Which object an event is about (core/v1 ObjectReference); what is "" is left out.
struct ObjectReference {
  std::string api_version, kind;
  std::string ns = {};  // "" of a cluster-scoped object
  std::string name;
  std::string uid = {}, resource_version = {};
};

// The core/v1 Event with `message` about that object, in its namespace ("default" for
// cluster-scoped objects), ready for request::create(kEvents, ...). `reason` is a CamelCase word.
// The message is cut between characters to the API server's limit of 1024 bytes. The name is
// derived from the object's name and uid, the type, the reason and `which`, so a repeated event is
// the same object, whose count increases (count_patch).
json make_event(const ObjectReference& about, EventType type, std::string_view reason,
                std::string_view message, const EventSource& source,
                std::chrono::system_clock::time_point now, std::string_view which = "");

// The merge patch that increases the count of `stored`, the event of that name. It tests its uid
// and version.
json count_patch(const json& stored, const json& event);

// Sends an event of make_event(): creates it, or adds 1 to the count of the one that exists. Has
// kOnlyKind of the answer.
[[nodiscard]] Result<json> send_event(const Client& client, const json& event);

}  // namespace mc::kube
