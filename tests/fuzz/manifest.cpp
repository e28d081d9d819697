#include "common/api/manifest.h"

#include <sstream>

#include "common/base/text.h"
#include "common/base/yaml.h"
#include "common/commands/check.h"
#include "common/commands/render.h"
#include "tests/fuzz/targets.h"

namespace mc::fuzz {
namespace {

bool is_plain(const std::string& text) {
  for (std::string_view rest = text; !rest.empty();) {
    const CodePoint next = first_code_point(rest);
    const bool control =
        next.value < 0x20 ? next.value != '\n' : next.value >= 0x7f && next.value < 0xa0;
    if (next.length == 0 || control) return false;
    rest.remove_prefix(next.length);
  }
  return true;
}

int check(const std::string& text, bool as_json) {
  std::istringstream in(text);
  std::ostringstream out, err;
  const int code = commands::check({.files = {"-"}, .json = as_json}, in, out, err);
  if (as_json) {
    const json told = json::parse(out.str(), nullptr, false);
    require(told.is_array() && !told.empty(), "check -o json tells of each document");
  } else {
    require(is_plain(out.str()) && is_plain(err.str()), "check prints no control characters");
    require((code == commands::kCheckUnreadable) == !err.str().empty(),
            "check says what it cannot read");
  }
  return code;
}

int render(const std::string& text) {
  std::istringstream in(text);
  std::ostringstream out, err;
  const int code = commands::render({.files = {"-"}}, in, out, err);
  require(is_plain(err.str()), "render prints no control characters");
  require(parse_yaml(out.str()).has_value(), "render prints YAML");
  return code;
}

}  // namespace

void manifest(std::string_view input) {
  const std::string text(input);
  const int code = check(text, false);
  require(code == check(text, true), "check says the same in JSON");
  require(code == render(text), "render accepts what check accepts");
  const auto documents = parse_yaml(input);
  if (!documents) {
    require(documents.error().message.size() < 8192, "what is wrong is said shortly");
    return;
  }
  for (const json& document : *documents) {
    const auto again = parse_yaml(to_yaml(document));
    const bool same =
        again && (document.is_null() ? again->empty() || again->front().is_null()
                                     : again->size() == 1 && again->front() == document);
    require(same, "what is written is read as it was");
  }
}

}  // namespace mc::fuzz
