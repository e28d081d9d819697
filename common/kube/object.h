#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "common/base/fields.h"
#include "common/base/json.h"

namespace mc::kube {

// An object as last received from the API server; shared by caches and readers, immutable.
using Object = std::shared_ptr<const json>;

// The number of values that are kept of an object. The Job of the largest spec, with 10,000 values
// (examine.cpp), has about three times as many. An object of 1.5 MiB, the limit of etcd, may have
// half a million, each of which takes a hundred times its two bytes.
inline constexpr std::size_t kMostObjectValues = 40'000;

// Whether the rest of an object with this metadata need not be read. Empty: always false.
using IsKnown = std::function<bool(const json& metadata)>;

// An answer of the API server, which may contain anything that users stored. `level_of_objects`:
// the level of its objects below the root (2 in a list). Of each object, kMostObjectValues values
// are kept, none deeper than kMaxJsonLevels; its members and those of its metadata, such as the
// name, are never dropped for that. Only `fields` of each object become a tree, and never
// metadata.managedFields, which nobody reads. Of an object that `is_known`, what follows its
// metadata is left out. Discarded: not JSON.
json parse_answer(std::string_view text, std::size_t level_of_objects,
                  const Fields& fields = kAllFields, const IsKnown& is_known = {});

// "namespace/name", or "name" of a cluster-scoped object.
std::string key_in(const std::string& ns, const std::string& name);
std::string key_of(const json& object);

// A member of metadata such as "uid"; empty if it is missing or not a string.
std::string metadata_text(const json& object, const char* member);

// The number that a resourceVersion is. Versions can be compared within a resource type
// (kubernetes/enhancements, KEP-5504; always true with etcd). 0 if it is not a number.
std::uint64_t version_number(const std::string& text);

// The uid of the owner reference with controller: true; empty if there is none.
const std::string& controller_uid(const json& object);

// A merge patch (RFC 7386) that replaces `stored` with `wanted`: `wanted`, with null for each
// member that only `stored` has, at every level.
json replacing_patch(const json& stored, json wanted);

// The key of the owner with controller: true if it is of this kind, otherwise empty.
std::string controller_key(const json& object, std::string_view kind);

}  // namespace mc::kube
