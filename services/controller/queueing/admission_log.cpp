#include "services/controller/queueing/admission_log.h"

#include <utility>

namespace mc::controller::queueing {

json entry_data(const Entry& entry) { return {{"minicluster", entry.key}, {"size", entry.size}}; }

LoggedAdmissions read_log(const json& config_map) {
  LoggedAdmissions out;
  out.setup = text_at(config_map, {"metadata", "annotations", kSetupInForce});
  const json& data = at_path(config_map, {"data"});
  if (!data.is_object()) return out;
  for (const auto& [uid, text] : data.items()) {
    if (!text.is_string()) continue;
    const json value = json::parse(text.get_ref<const std::string&>(), nullptr, false);
    Entry entry{text_at(value, {"minicluster"}), uid, integer_at(value, {"size"})};
    if (entry.size > 0 && entry.key.contains('/')) out.entries.push_back(std::move(entry));
  }
  return out;
}

AdmissionLog::AdmissionLog(const kube::Client& client, const std::string& ns,
                           const std::string& instance)
    : map_(client, ns, kAdmissionLog, instance) {}

Result<LoggedAdmissions> AdmissionLog::take_over() {
  const auto there = map_.take_over();
  if (!there) return std::unexpected(there.error());
  return read_log(*there);
}

Result<void> AdmissionLog::write(const Batch& batch, const std::string& setup) {
  json body;
  body["metadata"]["annotations"][kSetupInForce] = setup;
  json& data = body["data"] = json::object();
  for (const std::string& uid : batch.remove) data[uid] = nullptr;
  for (const Entry& entry : batch.add) data[entry.job] = entry_data(entry).dump();
  return map_.write(std::move(body));
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
