#include "services/controller/cache/workloads.h"

#include <algorithm>
#include <expected>
#include <string>
#include <string_view>
#include <utility>

#include "common/api/model/conditions.h"
#include "common/base/clock.h"
#include "common/base/json.h"
#include "common/base/text.h"
#include "common/kube/api_error.h"
#include "common/kube/object.h"
#include "services/controller/cache/follow.h"

namespace mc::controller {
namespace {

constexpr std::size_t kMostReason = 64;  // of what `kubectl get` shows in a column
constexpr std::size_t kMostKueueMessage = 1024;

constexpr const char* kNotToldYet = "Queued";

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
          {"message", cut_utf8(one_line(message), kMostKueueMessage)}};
}

// The fields in use are the same in all of them. The newest first.
constexpr std::string_view kVersions[] = {"v1beta2", "v1beta1"};

// The version of Workloads that the API server serves, or the reason why it cannot be watched.
std::expected<kube::Resource, std::string> find_workloads(kube::Transport& transport) {
  const kube::Request request = kube::request::group(kube::kWorkloads.group);
  const auto response = transport.send(request);
  if (!response) return std::unexpected(response.error().message);
  if (response->status == 404) {
    return std::unexpected("The API server serves no Workloads of Kueue");
  }
  if (response->status != 200) return std::unexpected(kube::api_error(request, *response).message);
  const auto found = served_workloads(json::parse(response->body, nullptr, false));
  if (found) return *found;
  return std::unexpected(
      "The API server serves Workloads of Kueue only in versions that this controller does not "
      "know");
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

std::optional<kube::Resource> served_workloads(const json& group) {
  const auto& served = items_at(group, {"versions"});
  for (const std::string_view version : kVersions) {
    const bool is_served = std::ranges::any_of(
        served, [&](const json& entry) { return text_at(entry, {"version"}) == version; });
    if (!is_served) continue;
    kube::Resource found = kube::kWorkloads;
    found.version = version;
    return found;
  }
  return std::nullopt;
}

void follow_workloads(kube::Transport& transport, kube::WatchedStore& store, const Clock& clock,
                      const std::string& ns, const kube::InformerHooks& hooks,
                      const std::stop_token& stop) {
  kube::InformerHooks until_gone = hooks;
  until_gone.is_permanent = [](const Error& error) { return error.kind == ErrorKind::NotFound; };
  std::string reported;  // until there are Workloads again
  while (!stop.stop_requested()) {
    if (const auto found = find_workloads(transport)) {
      reported.clear();
      kube::Informer(transport, store, clock, {.resource = *found, .ns = ns}, until_gone).run(stop);
      forget_all(store);
    } else if (reported != found.error()) {
      reported = found.error();
      hooks.log(reported + "; checking again twice a minute");
    }
    wait(kCheckInterval, stop);
  }
}

}  // namespace mc::controller
