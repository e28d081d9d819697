#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "common/api/model/conditions.h"
#include "common/base/json.h"
#include "common/base/text.h"
#include "services/controller/cluster/read.h"

namespace mc::controller {
namespace {

constexpr std::size_t kMostReason = 64;  // of what `kubectl get` shows in a column
constexpr std::size_t kMostKueueMessage = 1024;

// True for a reason that the API server accepts in a condition (metav1.Condition), without "," and
// ":".
bool is_reason(std::string_view text) {
  return !text.empty() && text.size() <= kMostReason && is_letter(text.front()) &&
         std::ranges::all_of(text, [](char c) { return is_letter(c) || is_digit(c) || c == '_'; });
}

bool has_status(const json* condition, std::string_view status) {
  return condition != nullptr && text_at(*condition, {"status"}) == status;
}

// Null if there was none, or if Kueue has requeued the Workload since for another reason than the
// eviction itself: it then waits like any other.
const json* eviction(const json& workload) {
  const json* evicted = api::condition_of(workload, "Evicted");
  const json* requeued = api::condition_of(workload, "Requeued");
  if (!has_status(evicted, "True")) return nullptr;
  const bool is_past = has_status(requeued, "True") &&
                       text_at(*requeued, {"reason"}) != text_at(*evicted, {"reason"});
  return is_past ? nullptr : evicted;
}

// The condition that says how far the admission is. Null if Kueue has not processed the Workload
// yet.
const json* progress(const json& workload) {
  const json* quota = api::condition_of(workload, "QuotaReserved");
  const json* admitted = api::condition_of(workload, "Admitted");
  return has_status(quota, "True") && admitted != nullptr ? admitted : quota;
}

Reason why(const json& workload) {
  const json* evicted = eviction(workload);
  const json* now = progress(workload);
  const json* first = evicted != nullptr ? evicted : now;
  if (first == nullptr) {
    return {api::kReasonQueued, "Kueue has not yet said why the Job waits in the LocalQueue " +
                                    text_at(workload, {"spec", "queueName"}) + "."};
  }
  std::string message = text_at(*first, {"message"});
  if (evicted != nullptr && has_status(now, "False")) {
    const std::string also = text_at(*now, {"message"});
    if (also != message) message += "; " + also;
  }
  const std::string reason = text_at(*first, {"reason"});
  return {is_reason(reason) ? reason : api::kReasonQueued,
          std::string(cut_utf8(one_line(message), kMostKueueMessage))};
}

}  // namespace

Workload read_workload(const json& workload) {
  Workload out{.metadata = read_metadata(workload), .why = {}};
  if (out.metadata.owner.kind == "Job") out.why = why(workload);
  return out;
}

}  // namespace mc::controller
