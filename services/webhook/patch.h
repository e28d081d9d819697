#pragma once
#include "common/base/json.h"

namespace mc::webhook {

// The RFC 6902 operations that make `to` of `from`, without any `remove`: what a user wrote stays,
// and so do fields that this version does not know. Empty array: nothing to do.
json additions(const json& from, const json& to);

}  // namespace mc::webhook
