#include "common/api/model/command_end.h"

#include <algorithm>

#include "common/base/text.h"

namespace mc::api {
namespace {

constexpr std::string_view kOrSnippetEndedWith = "The command or a snippet ended with code ";

}  // namespace

std::string command_ended_with(std::int64_t code) {
  return std::string(kCommandEndedWith) + std::to_string(code);
}

std::string command_or_snippet_ended_with(std::int64_t code) {
  return std::string(kOrSnippetEndedWith) + std::to_string(code);
}

std::optional<std::int64_t> code_of_command(std::string_view message) {
  for (const std::string_view beginning : {kCommandEndedWith, kOrSnippetEndedWith}) {
    if (!message.starts_with(beginning)) continue;
    message.remove_prefix(beginning.size());
    const auto end = std::ranges::find_if_not(message, is_digit);
    return parse_integer({message.begin(), end});
  }
  return std::nullopt;
}

}  // namespace mc::api
