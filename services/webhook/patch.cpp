#include "services/webhook/patch.h"

#include <utility>

namespace mc::webhook {

json additions(const json& from, const json& to) {
  json kept = json::array();
  for (json& operation : json::diff(from, to)) {
    if (operation.at("op") != "remove") kept.push_back(std::move(operation));
  }
  return kept;
}

}  // namespace mc::webhook
