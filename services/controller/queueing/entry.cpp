#include "services/controller/queueing/entry.h"

#include <utility>

namespace mc::controller::queueing {

json entry_data(const Entry& entry) { return {{"minicluster", entry.key}, {"size", entry.size}}; }

Workspace read_workspace(const json& config_map) {
  Workspace out;
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

}  // namespace mc::controller::queueing
