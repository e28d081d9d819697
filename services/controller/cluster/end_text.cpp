#include "services/controller/cluster/end_text.h"

#include "common/base/json.h"

namespace mc::controller {
namespace {

constexpr const char* kExitCode = "exitCode";

std::optional<api::Condition> end_in(const json& annotation) {
  const std::string type = text_at(annotation, {"type"});
  if (type != api::kComplete && type != api::kFailed) return std::nullopt;
  api::Condition out;
  out.type = type;
  out.status = true;
  out.reason = text_at(annotation, {"reason"});
  out.message = text_at(annotation, {"message"});
  out.exit_code = as_integer(at_path(annotation, {kExitCode}));
  return out;
}

std::string key_of(const MiniCluster& cluster) {
  return cluster.metadata.ns.str() + "/" + cluster.metadata.name;
}

}  // namespace

std::string end_text(const api::Condition& end) {
  json out = {{"type", end.type}, {"reason", end.reason}, {"message", end.message}};
  if (end.exit_code) out[kExitCode] = *end.exit_code;
  return dump(out);
}

std::optional<api::Condition> read_end(const std::string& text) {
  if (text.empty()) return std::nullopt;
  return end_in(json::parse(text, nullptr, false));
}

std::string end_text_of(const MiniCluster& cluster, const api::StoredCondition& end) {
  json out = {{"of", key_of(cluster)},
              {"type", end.type},
              {"reason", end.reason},
              {"message", end.message}};
  if (cluster.status.exit_code) out[kExitCode] = *cluster.status.exit_code;
  return dump(out);
}

std::optional<api::Condition> read_end_of(const MiniCluster& cluster) {
  if (cluster.end.empty()) return std::nullopt;
  const json annotation = json::parse(cluster.end.str(), nullptr, false);
  return text_at(annotation, {"of"}) == key_of(cluster) ? end_in(annotation) : std::nullopt;
}

}  // namespace mc::controller
