#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "common/base/json.h"

namespace mc::kube {

// An object as the API server last showed it; shared by caches and readers, never changed.
using Object = std::shared_ptr<const json>;

// The object with null where it is nested more deeply than kMaxJsonLevels.
json shallow(json object);

// "namespace/name", or "name" of an object of the whole cluster.
std::string key_of(const json& object);

// A member of metadata such as "uid"; empty if it is not there or no string.
std::string metadata_text(const json& object, const char* member);

// The uid of the owner reference with controller: true; empty if there is none.
std::string controller_uid(const json& object);

// The key of the owner with controller: true, if its kind is this one; empty if not.
std::string controller_key(const json& object, std::string_view kind);

}  // namespace mc::kube
