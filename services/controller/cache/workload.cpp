#include "services/controller/cache/workload.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "common/api/manifest.h"
#include "common/api/model/conditions.h"
#include "common/base/json_path.h"
#include "common/base/utf8.h"
#include "common/kube/object.h"

namespace mc::controller {
namespace {

constexpr std::size_t kMostReason = 64;  // of what `kubectl get` shows in a column
constexpr std::size_t kMostMessage = 1024;

constexpr const char* kNotToldYet = "Queued";

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// True for a reason that the API server accepts in a condition (metav1.Condition), without "," and
// ":".
bool is_reason(std::string_view text) {
  return !text.empty() && text.size() <= kMostReason && is_letter(text.front()) &&
         std::ranges::all_of(
             text, [](char c) { return is_letter(c) || c == '_' || (c >= '0' && c <= '9'); });
}

// Null if there is none.
const json* condition(const json& workload, std::string_view type) {
  return api::find_condition(at_path(workload, {"status", "conditions"}), type);
}

bool has_status(const json* condition, std::string_view status) {
  return condition != nullptr && text_at(*condition, {"status"}) == status;
}

// Null if there was none, or if Kueue has requeued the Workload since for another reason than the
// eviction itself: it then waits like any other.
const json* eviction(const json& workload) {
  const json* evicted = condition(workload, "Evicted");
  const json* requeued = condition(workload, "Requeued");
  if (!has_status(evicted, "True")) return nullptr;
  const bool is_past = has_status(requeued, "True") &&
                       text_at(*requeued, {"reason"}) != text_at(*evicted, {"reason"});
  return is_past ? nullptr : evicted;
}

// The condition that says how far the admission is. Null if Kueue has not processed the Workload
// yet.
const json* progress(const json& workload) {
  const json* quota = condition(workload, "QuotaReserved");
  const json* admitted = condition(workload, "Admitted");
  return has_status(quota, "True") && admitted != nullptr ? admitted : quota;
}

json why(const json& workload) {
  const json* evicted = eviction(workload);
  const json* now = progress(workload);
  const json* first = evicted != nullptr ? evicted : now;
  if (first == nullptr) {
    return {{"reason", kNotToldYet},
            {"message", "Kueue has not said yet why the Job waits in the LocalQueue " +
                            text_at(workload, {"spec", "queueName"}) + "."}};
  }
  std::string message = text_at(*first, {"message"});
  if (evicted != nullptr && has_status(now, "False")) {
    const std::string also = text_at(*now, {"message"});
    if (also != message) message += "; " + also;
  }
  const std::string reason = text_at(*first, {"reason"});
  return {{"reason", is_reason(reason) ? reason : kNotToldYet},
          {"message", cut_utf8(api::printable(message), kMostMessage)}};
}

}  // namespace

json reduce_workload(const json& workload) {
  json metadata = json::object();
  for (const char* name : {"name", "namespace", "uid", "resourceVersion", "ownerReferences"}) {
    if (const json& value = at_path(workload, {"metadata", name}); !value.is_null()) {
      metadata[name] = value;
    }
  }
  json out = {{"kind", "Workload"}, {"metadata", std::move(metadata)}};
  if (!kube::controller_key(out, "Job").empty()) out["why"] = why(workload);
  return out;
}

}  // namespace mc::controller
