#include "common/api/field_validation_flag.h"

#include <CLI/CLI.hpp>

namespace mc::api {

void add_field_validation(CLI::App& app, FieldValidation& value) {
  app.add_option_function<std::string>(
         "--field-validation",
         [&value](const std::string& text) {
           value = text == "Warn" ? FieldValidation::Warn : FieldValidation::Strict;
         },
         "Handling of fields that are unknown in Kubernetes' own types (resources,\n"
         "securityContext, pod.template ...) in version 1.34: Strict refuses them,\n"
         "Warn returns a warning, for newer clusters")
      ->check(CLI::IsMember({"Strict", "Warn"}).description(""))
      ->default_str(value == FieldValidation::Warn ? "Warn" : "Strict")
      ->type_name("Strict|Warn");
}

}  // namespace mc::api
