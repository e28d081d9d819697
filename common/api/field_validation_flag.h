#pragma once
#include "common/api/examine.h"

namespace CLI {
class App;
}

namespace mc::api {

// The flag --field-validation. What `value` holds now is shown as the default.
void add_field_validation(CLI::App& app, FieldValidation& value);

}  // namespace mc::api
