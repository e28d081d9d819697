#include "common/observe/bind_address_flag.h"

#include <CLI/CLI.hpp>
#include <string>

namespace mc::observe {
namespace {

std::string mistake(const std::string& text) {
  const auto parsed = parse_bind_address(text);
  return parsed ? "" : parsed.error().message;
}

}  // namespace

void add_bind_address(CLI::App& app, const char* name, std::optional<BindAddress>& value,
                      const char* help) {
  app.add_option_function<std::string>(
         name, [&value](const std::string& text) { value = *parse_bind_address(text); }, help)
      ->check(CLI::Validator(mistake, ""))
      ->default_str(value ? value->host + ":" + std::to_string(value->port) : "0")
      ->type_name("ADDRESS");
}

}  // namespace mc::observe
