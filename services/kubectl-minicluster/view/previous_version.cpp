#include "services/kubectl-minicluster/view/previous_version.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "common/api/model/command_end.h"
#include "common/api/model/conditions.h"
#include "common/base/text.h"

namespace mc::kubectl::previous_version {
namespace {

// Of a condition or an event, which have the same reason and message.
std::optional<std::int64_t> exit_code_in(const json& end) {
  const std::string reason = text_at(end, {"reason"}), message = text_at(end, {"message"});
  if (reason == api::kReasonCommandSucceeded) return 0;
  if (reason != api::kReasonCommandFailed || !message.starts_with(api::kCommandEndedWith)) {
    return std::nullopt;
  }
  const std::string_view code = std::string_view(message).substr(api::kCommandEndedWith.size());
  return parse_integer({code.begin(), std::ranges::find_if_not(code, is_digit)});
}

}  // namespace

std::optional<std::int64_t> exit_code_of(const json& minicluster) {
  for (const std::string_view type : {api::kComplete, api::kFailed}) {
    const json* const end = api::true_condition_of(minicluster, type);
    if (end != nullptr) return exit_code_in(*end);
  }
  return std::nullopt;
}

std::optional<std::int64_t> exit_code_of_event(const json& event) { return exit_code_in(event); }

}  // namespace mc::kubectl::previous_version
