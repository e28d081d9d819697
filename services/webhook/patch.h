#pragma once
#include "common/base/json.h"

namespace mc::webhook {

// The RFC 6902 operations that turn `from` into `to`, without `remove`: what a user wrote stays,
// and so do fields unknown to this version. Empty array: nothing to do.
json additions(const json& from, const json& to);

}  // namespace mc::webhook
