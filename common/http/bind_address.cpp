#include "common/http/bind_address.h"

#include <CLI/CLI.hpp>
#include <string>

#include "common/base/text.h"

namespace mc::http {
namespace {

std::string address_error(const std::string& text) {
  const auto parsed = parse_bind_address(text);
  return parsed ? "" : parsed.error().message;
}

}  // namespace

Result<std::optional<BindAddress>> parse_bind_address(std::string_view text) {
  if (text.empty() || text == "0") return std::nullopt;
  const auto colon = text.rfind(':');
  const auto malformed = [&] {
    return fail(ErrorKind::Malformed, "\"" + std::string(text) +
                                          "\" is not an address to listen on: must be host:port or "
                                          ":port, or 0 for none");
  };
  if (colon == std::string_view::npos) return malformed();
  std::string_view host = text.substr(0, colon);
  const auto port = parse_integer(text.substr(colon + 1));
  if (host.starts_with('[') && host.ends_with(']')) {
    host = host.substr(1, host.size() - 2);
  } else if (host.contains(':')) {
    return malformed();
  }
  if (!port || *port < 0 || *port > 65535) return malformed();
  return BindAddress{std::string(host), static_cast<int>(*port)};
}

void add_bind_address(CLI::App& app, const char* name, std::optional<BindAddress>& value,
                      const char* help) {
  app.add_option_function<std::string>(
         name, [&value](const std::string& text) { value = *parse_bind_address(text); }, help)
      ->check(CLI::Validator(address_error, ""))
      ->default_str(value ? value->host + ":" + std::to_string(value->port) : "0")
      ->type_name("ADDRESS");
}

}  // namespace mc::http
