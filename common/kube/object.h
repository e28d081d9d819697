#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "common/base/json.h"

namespace mc::kube {

// An object as the API server last showed it; shared by caches and readers, never changed.
using Object = std::shared_ptr<const json>;

// Values of an object that are kept. The Job of the largest spec, of 10,000 values (examine.cpp),
// has some three times as many. An object of 1.5 MiB, which etcd takes, may have half a million,
// each of which costs a hundred times its two bytes.
inline constexpr std::size_t kMostObjectValues = 40'000;

// An answer of the API server, which may hold anything that somebody stored. Of each object in it,
// which stands so many levels below the root (in a list 2), kMostObjectValues values are kept and
// none deeper than kMaxJsonLevels; but its members and those of its metadata, such as the name,
// always are. Without metadata.managedFields. Discarded: not JSON.
json parse_answer(std::string_view text, std::size_t level_of_objects);

// "namespace/name", or "name" of an object of the whole cluster.
std::string key_of(const json& object);

// A member of metadata such as "uid"; empty if it is not there or no string.
std::string metadata_text(const json& object, const char* member);

// The uid of the owner reference with controller: true; empty if there is none.
std::string controller_uid(const json& object);

// The key of the owner with controller: true, if its kind is this one; empty if not.
std::string controller_key(const json& object, std::string_view kind);

}  // namespace mc::kube
