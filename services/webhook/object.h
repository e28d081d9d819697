#pragma once
#include <string>

#include "common/base/json.h"

// Reading JSON that may be anything.
namespace mc::webhook {

// The member as text; "" where it is absent or no text.
std::string text(const json& object, const char* member);

// The member as an object; nullptr where it is absent or none.
const json* object_member(const json& object, const char* member);

// metadata.name of a Kubernetes object, or metadata.generateName where it has no name yet, or "".
std::string name_of(const json& object);

}  // namespace mc::webhook
