#include "services/controller/queueing/admission_log.h"

#include <utility>

#include "common/base/rfc3339.h"

namespace mc::controller::queueing {
namespace {

json promise_data(const std::optional<Promise>& promise) {
  if (!promise) return nullptr;
  return json{{"minicluster", promise->key}, {"job", promise->job}}.dump();
}

std::optional<Promise> read_promise(const std::string& text) {
  const json value = json::parse(text, nullptr, false);
  Promise out{text_at(value, {"minicluster"}), text_at(value, {"job"})};
  return out.key.contains('/') ? std::optional(std::move(out)) : std::nullopt;
}

Time time_at(const json& object, const char* member) {
  const auto time = parse_rfc3339(text_at(object, {member}));
  return time ? std::chrono::floor<std::chrono::seconds>(*time) : Time();
}

}  // namespace

json entry_data(const Entry& entry) {
  json out = {{"minicluster", entry.key}, {"size", entry.size}};
  if (entry.admitted != Time()) out["admitted"] = rfc3339(entry.admitted);
  return out;
}

LoggedAdmissions read_log(const json& config_map) {
  LoggedAdmissions out;
  out.setup = text_at(config_map, {"metadata", "annotations", kSetupInForce});
  out.promise = read_promise(text_at(config_map, {"metadata", "annotations", kPromise}));
  const json& data = at_path(config_map, {"data"});
  if (!data.is_object()) return out;
  for (const auto& [uid, text] : data.items()) {
    if (!text.is_string()) continue;
    const json value = json::parse(text.get_ref<const std::string&>(), nullptr, false);
    Entry entry{text_at(value, {"minicluster"}), uid, integer_at(value, {"size"}),
                time_at(value, "admitted")};
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
  body["metadata"]["annotations"][kPromise] = promise_data(batch.promise);
  json& data = body["data"] = json::object();
  for (const std::string& uid : batch.remove) data[uid] = nullptr;
  for (const Entry& entry : batch.add) data[entry.job] = entry_data(entry).dump();
  return map_.write(std::move(body));
}

}  // namespace mc::controller::queueing
