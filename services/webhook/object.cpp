#include "services/webhook/object.h"

namespace mc::webhook {

std::string text(const json& object, const char* member) {
  if (!object.is_object()) return "";
  const auto found = object.find(member);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

const json* object_member(const json& object, const char* member) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(member);
  return found != object.end() && found->is_object() ? &*found : nullptr;
}

std::string name_of(const json& object) {
  const json* metadata = object_member(object, "metadata");
  if (metadata == nullptr) return "";
  const std::string name = text(*metadata, "name");
  return name.empty() ? text(*metadata, "generateName") : name;
}

}  // namespace mc::webhook
