#include "common/api/field_validation_flag.h"

#include <CLI/CLI.hpp>

namespace mc::api {

void add_field_validation(CLI::App& app, FieldValidation& value) {
  app.add_option_function<std::string>(
         "--field-validation",
         [&value](const std::string& text) {
           value = text == "Warn" ? FieldValidation::Warn : FieldValidation::Strict;
         },
         "What happens to a field that a type of Kubernetes (resources,\n"
         "securityContext, pod.template ...) does not have in version 1.34: Strict\n"
         "refuses it, Warn returns a warning, for clusters that are newer")
      ->check(CLI::IsMember({"Strict", "Warn"}).description(""))
      ->default_str(value == FieldValidation::Warn ? "Warn" : "Strict")
      ->type_name("Strict|Warn");
}

}  // namespace mc::api
