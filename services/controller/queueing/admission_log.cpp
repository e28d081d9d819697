#include "services/controller/queueing/admission_log.h"

#include <utility>

#include "common/api/model/names.h"

namespace mc::controller::queueing {
namespace {

// Without the label of MiniClusters' objects: it belongs to none.
json config_map(const std::string& ns, const char* name) {
  return {{"apiVersion", "v1"},
          {"kind", "ConfigMap"},
          {"metadata",
           {{"name", name},
            {"namespace", ns},
            {"labels", {{"app.kubernetes.io/part-of", api::kManagedByValue}}}}}};
}

}  // namespace

WorkspaceFile::WorkspaceFile(const kube::Client& client, std::string ns, std::string holder)
    : client_(client), ns_(std::move(ns)), holder_(std::move(holder)) {}

Result<Workspace> WorkspaceFile::take_over() {
  version_.reset();
  auto there = client_.get(kube::kConfigMaps, ns_, kWorkspace);
  if (!there && there.error().kind == ErrorKind::NotFound) {
    version_ = "";
    return Workspace{};
  }
  if (!there) return std::unexpected(there.error());
  version_ = text_at(*there, {"metadata", "resourceVersion"});
  const json body = {{"metadata", {{"annotations", {{kHolder, holder_}}}}}};
  if (auto sent = send(body); !sent) return std::unexpected(sent.error());
  return read_workspace(*there);
}

Result<void> WorkspaceFile::write(const std::vector<Entry>& add,
                                  const std::vector<std::string>& remove,
                                  const std::string& setup) {
  json body = {{"metadata", {{"annotations", {{kHolder, holder_}}}}}};
  body["metadata"]["annotations"][kSetupInForce] = setup;
  json& data = body["data"] = json::object();
  for (const std::string& uid : remove) data[uid] = nullptr;
  for (const Entry& entry : add) data[entry.job] = entry_data(entry).dump();
  return send(std::move(body));
}

// In a create, null is no value.
Result<void> WorkspaceFile::send(json body) {
  if (!version_) return fail(ErrorKind::Conflict, "the workspace was not read after an error");
  if (!version_->empty()) {
    body["metadata"]["resourceVersion"] = *version_;
    return keep(client_.patch(kube::kConfigMaps, ns_, kWorkspace, kube::PatchType::Merge, body));
  }
  json fresh = config_map(ns_, kWorkspace);
  fresh.merge_patch(body);
  return keep(client_.create(kube::kConfigMaps, fresh));
}

Result<void> WorkspaceFile::keep(Result<json> written) {
  version_.reset();
  if (!written) return std::unexpected(written.error());
  version_ = text_at(*written, {"metadata", "resourceVersion"});
  return {};
}

Result<void> publish_limits(const kube::Client& client, const std::string& ns,
                            const api::PublishedLimits* limits) {
  json body;
  body["data"][api::kLimitsFile] = limits == nullptr ? json() : json(api::limits_text(*limits));
  auto written = client.patch(kube::kConfigMaps, ns, kLimits, kube::PatchType::Merge, body);
  if (!written && written.error().kind == ErrorKind::NotFound && limits != nullptr) {
    json fresh = config_map(ns, kLimits);
    fresh.merge_patch(body);
    written = client.create(kube::kConfigMaps, fresh);
  }
  const bool is_done =
      written || (written.error().kind == ErrorKind::NotFound && limits == nullptr);
  if (!is_done) return std::unexpected(written.error());
  return {};
}

}  // namespace mc::controller::queueing
