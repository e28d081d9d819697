#include "common/kube/object.h"

namespace mc::kube {
namespace {

std::string text_of(const json& object, const char* member) {
  const auto it = object.find(member);
  return it != object.end() && it->is_string() ? it->get<std::string>() : std::string();
}

// The owner reference with controller: true, of which an object has one at most; null if none.
const json* controller_of(const json& object) {
  const auto metadata = object.find("metadata");
  if (metadata == object.end() || !metadata->is_object()) return nullptr;
  const auto owners = metadata->find("ownerReferences");
  if (owners == metadata->end() || !owners->is_array()) return nullptr;
  for (const auto& owner : *owners) {
    if (owner.is_object() && owner.value("controller", json()) == true) return &owner;
  }
  return nullptr;
}

std::string key_in(const std::string& ns, const std::string& name) {
  return ns.empty() ? name : ns + "/" + name;
}

}  // namespace

std::string metadata_text(const json& object, const char* member) {
  const auto metadata = object.find("metadata");
  if (metadata == object.end() || !metadata->is_object()) return {};
  return text_of(*metadata, member);
}

std::string key_of(const json& object) {
  return key_in(metadata_text(object, "namespace"), metadata_text(object, "name"));
}

std::string controller_uid(const json& object) {
  const auto* owner = controller_of(object);
  return owner == nullptr ? std::string() : text_of(*owner, "uid");
}

std::string controller_key(const json& object, std::string_view kind) {
  const auto* owner = controller_of(object);
  if (owner == nullptr || text_of(*owner, "kind") != kind) return {};
  return key_in(metadata_text(object, "namespace"), text_of(*owner, "name"));
}

}  // namespace mc::kube
