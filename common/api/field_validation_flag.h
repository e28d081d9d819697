#pragma once
#include "common/api/examine.h"

namespace CLI {
class App;
}

namespace mc::api {

// Adds the flag --field-validation. The current `value` is shown as the default.
void add_field_validation(CLI::App& app, FieldValidation& value);

}  // namespace mc::api
