#pragma once
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/json.h"

// effects.json: what each property of the API does, one row or more a property, as data: the test
// sees that it is so, and docs/api.md says it. A row's members:
//   field  the property, as api::property_paths() writes it
//   given  a patch over the spec of a small MiniCluster, which sets the property; lists are patched
//          entry by entry
//   does   what it does in the pods, for people; absent for services[] where it is as for
//          containers[]
//   in     where it is seen, with the property and not without it; one of
//     {object, name?, at, is | has}  in the object of that kind: the value at a JSON pointer (null:
//                                    nothing is there), or an entry of the list there
//     {run, seen, has | lacks}       in what an entry point (lead, follower, init, sidecar) does:
//                                    a text in `calls` (what flux was told), `out` (the log), or
//                                    a file of the pod
//     {plan, has | lacks}            in what the controller writes (`create KIND`, `remove KIND`)
//     for
//                                    a `new` MiniCluster or one that has `finished`
//     {none: reason}                 nowhere: every object is the same with it
//     {refused: words}               the MiniCluster is refused with these words at the property
namespace mc::test {

// An array; empty where the file cannot be read.
const json& effects();

// The properties that have no properties of their own: `spec.flux.wrap`, but not `spec.flux`.
std::set<std::string> leaves(const std::set<std::string>& paths);

// RFC 7386, but a list of the patch is laid over one of `base` entry by entry.
json patched(json base, const json& patch);

// Takes a property out of a spec, wherever it is; how many were there.
std::size_t erase_field(json& spec, std::string_view field);

// Every member of `part` is in `whole`, and lists are as long.
bool contains(const json& whole, const json& part);

// The small MiniCluster with `given` laid over its spec.
json manifest(const json& given);

// What `minicluster-controller render` makes of a MiniCluster; nothing where it refuses.
std::optional<std::vector<json>> objects_of(const json& manifest, bool with_secrets);

// Whether a MiniCluster shows what a row's {object ...}, {run ...} or {plan ...} says.
bool shows(const json& manifest, const json& in);

}  // namespace mc::test
