#pragma once
#include "common/base/json.h"

namespace mc::render {

// `target` with spec.pod.template merged into it. An RFC 7386 merge patch (objects are merged, null
// removes, anything else replaces) but for lists: where every entry on both sides is an object with
// a string `name` (in volumeMounts: `mountPath`), entries of one name are merged by this same rule
// and new ones are appended; other lists are replaced. A patch that is no object changes nothing.
// Total on any JSON.
json merged_template(json target, const json& patch);

}  // namespace mc::render
