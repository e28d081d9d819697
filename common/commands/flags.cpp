#include "common/commands/flags.h"

#include <CLI/CLI.hpp>
#include <string>

#include "common/api/examine.h"
#include "common/base/arguments.h"
#include "common/base/text.h"

namespace mc::commands {
namespace {

// As `kubectl apply` would answer.
void add_field_validation(CLI::App& app, api::FieldValidation& value) {
  app.add_option_function<std::string>(
         "--field-validation",
         [&value](const std::string& text) {
           value = lower_case(text) == "warn" ? api::FieldValidation::Warn
                                              : api::FieldValidation::StrictEverywhere;
         },
         "What to do with an unknown field. Strict: refuse it, as kubectl apply does.\n"
         "Warn: only warn, as for kubectl apply --validate=warn")
      ->check(CLI::IsMember({"Strict", "Warn"}, CLI::ignore_case).description(""))
      ->default_str("Strict")
      ->type_name("Strict|Warn");
}

}  // namespace

void add_check_flags(CLI::App& app, CheckOptions& options) {
  add_files(app, options.files);
  app.add_option_function<std::string>(
         "-o,--output", [&options](const std::string& format) { options.json = format == "json"; },
         "Output format. json: one JSON document. Default: text")
      ->type_name("FORMAT")
      ->check(CLI::IsMember({"json"}));
  add_field_validation(app, options.fields);
}

void add_render_flags(CLI::App& app, RenderOptions& options) {
  add_files(app, options.files);
  app.add_flag("--with-secrets", options.with_secrets,
               "Print a new curve certificate instead of a placeholder");
  add_field_validation(app, options.fields);
}

}  // namespace mc::commands
