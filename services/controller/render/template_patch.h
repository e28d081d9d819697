#pragma once
#include "common/base/json.h"

namespace mc::render {

// `target` with spec.pod.template merged into it. An RFC 7386 merge patch (objects are merged, null
// removes, anything else replaces) except for lists: if every entry on both sides is an object with
// a string `name` (in volumeMounts: `mountPath`), entries of the same name are merged by this rule
// and new ones are appended; other lists are replaced. A patch that is not an object changes
// nothing. Accepts any JSON.
json merged_template(json target, const json& patch);

}  // namespace mc::render
