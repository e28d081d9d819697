#include "services/webhook/respond.h"

#include <algorithm>
#include <utility>

#include "common/api/model/names.h"
#include "common/base/text.h"

namespace mc::webhook {
namespace {

json status(int code, std::string_view reason, std::string message) {
  return {{"apiVersion", "v1"},           {"kind", "Status"}, {"metadata", json::object()},
          {"status", "Failure"},          {"reason", reason}, {"code", code},
          {"message", std::move(message)}};
}

json causes(const std::vector<api::FieldError>& errors) {
  json all = json::array();
  for (const api::FieldError& error : errors) {
    all.push_back({{"reason", api::cause(error.kind)},
                   {"message", api::message(error)},
                   {"field", error.field}});
  }
  return all;
}

}  // namespace

std::string invalid_message(std::string_view name, const std::vector<api::FieldError>& errors) {
  std::vector<std::string> words;
  for (const api::FieldError& error : errors) {
    std::string word = api::to_string(error);
    if (std::ranges::find(words, word) == words.end()) words.push_back(std::move(word));
  }
  std::string list = joined(words, ", ");
  if (words.size() > 1) list = "[" + list + "]";
  std::string text(api::kKind);
  text.append(".").append(api::kGroup).append(" \"").append(name).append("\" is invalid: ");
  return text + list;
}

json invalid_status(std::string_view name, const std::vector<api::FieldError>& errors) {
  json answer = status(422, "Invalid", invalid_message(name, errors));
  answer["details"] = {
      {"name", name}, {"group", api::kGroup}, {"kind", api::kKind}, {"causes", causes(errors)}};
  return answer;
}

json bad_request_status(std::string message) {
  return status(400, "BadRequest", std::move(message));
}

json internal_error_status(std::string message) {
  return status(500, "InternalError", std::move(message));
}

json additions(const json& from, const json& to) {
  json kept = json::array();
  for (json& operation : json::diff(from, to)) {
    if (operation.at("op") != "remove") kept.push_back(std::move(operation));
  }
  return kept;
}

}  // namespace mc::webhook
