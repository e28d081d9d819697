#pragma once
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/json.h"

// effects.json: the effects of each property of the API, one or more rows per property. The test
// checks them, and docs/api.md documents them. The members of a row:
//   field  the property, as api::property_paths() writes it
//   given  a patch over the spec of a small MiniCluster, which sets the property; lists are patched
//          entry by entry
//   does   its effect in the pods, for users; absent for services[] where it is as for containers[]
//   in     where the effect is visible, with the property and not without it; one of
//     {object, name?, at, is | has}  in the object of that kind: the value at a JSON pointer (null:
//                                    none), or an entry of the list there
//     {run, seen, has | lacks}       when an entry point (lead, follower, init, sidecar) runs: a
//                                    text in `calls` (the arguments of flux), `out` (the log), or a
//                                    file of the pod
//     {plan, has | lacks}            in what the controller writes (`create KIND`, `remove KIND`)
//                                    for a `new` MiniCluster or one that has `finished`
//     {none: reason}                 nowhere: every object is the same with it
//     {refused: words}               the MiniCluster is refused with these words at the property
namespace mc::test {

// The rows of effects.json; an empty array if it cannot be read.
const json& effects();

// The properties without subproperties: `spec.flux.wrap`, but not `spec.flux`.
std::set<std::string> leaves(const std::set<std::string>& paths);

// RFC 7386, except that a list of the patch is merged into that of `base` entry by entry.
json patched(json base, const json& patch);

// Removes every occurrence of a property from a spec; returns their number.
std::size_t erase_field(json& spec, std::string_view field);

// Whether every member of `part` is in `whole`, with lists of the same length.
bool contains(const json& whole, const json& part);

// The small MiniCluster with `given` merged into its spec, as by patched().
json manifest(const json& given);

// The objects of `minicluster-controller render` for a MiniCluster; nothing if it is refused.
std::optional<std::vector<json>> objects_of(const json& manifest, bool with_secrets);

// Whether a MiniCluster has the effect of a row's {object ...}, {run ...} or {plan ...}.
bool shows(const json& manifest, const json& in);

}  // namespace mc::test
