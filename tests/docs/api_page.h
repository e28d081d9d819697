#pragma once
#include <string>

#include "common/base/json.h"

namespace mc::docs {

// The text of docs/api.md: a section for each object of the API, an item for each field of it.
// `crd` is the whole CRD object, `effects` the content of
// tests/services/controller/render/effects.json.
std::string api_page(const json& crd, const json& effects);

}  // namespace mc::docs
