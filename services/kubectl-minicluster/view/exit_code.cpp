#include "services/kubectl-minicluster/view/exit_code.h"

#include "common/api/model/command_end.h"
#include "common/api/model/conditions.h"
#include "common/base/text.h"
#include "services/kubectl-minicluster/view/previous_version.h"

namespace mc::kubectl {

std::optional<std::int64_t> exit_code_of(const json& minicluster) {
  const auto code = as_integer(at_path(minicluster, {"status", "exitCode"}));
  return code ? code : previous_version::exit_code_of(minicluster);
}

std::optional<End> end_of(const json& minicluster) {
  if (api::true_condition_of(minicluster, api::kComplete) != nullptr) return End{};
  const json* const failed = api::true_condition_of(minicluster, api::kFailed);
  if (failed == nullptr) return std::nullopt;
  End out{kNoExitCode, in_a_line(*failed), false};
  if (text_at(*failed, {"reason"}) == api::kReasonDeadlineExceeded) out.code = kTimedOut;
  const auto code = exit_code_of(minicluster);
  if (!code) return out;
  // The rest of the message is the end of the log, except if it says what helps.
  const bool by_memory = out.why.contains("OOMKilled");
  return End{static_cast<int>(*code), by_memory ? out.why : api::command_ended_with(*code), true};
}

std::string in_a_line(const json& condition) {
  return one_line(text_at(condition, {"reason"}) + ": " + text_at(condition, {"message"}));
}

}  // namespace mc::kubectl
