#include "common/kube/object.h"

#include "common/base/json_path.h"

namespace mc::kube {
namespace {

// The owner reference with controller: true, of which an object has one at most; null if none.
const json* controller_of(const json& object) {
  const json& owners = at_path(object, {"metadata", "ownerReferences"});
  if (!owners.is_array()) return nullptr;
  for (const auto& owner : owners) {
    if (owner.is_object() && owner.value("controller", json()) == true) return &owner;
  }
  return nullptr;
}

void cut_deeper(json& value, int levels) {
  if (!value.is_structured()) return;
  if (levels == 0) {
    value = nullptr;
    return;
  }
  for (json& member : value) cut_deeper(member, levels - 1);
}

std::string key_in(const std::string& ns, const std::string& name) {
  return ns.empty() ? name : ns + "/" + name;
}

}  // namespace

json shallow(json object) {
  cut_deeper(object, kMaxJsonLevels);
  return object;
}

std::string metadata_text(const json& object, const char* member) {
  return text_at(object, {"metadata", member});
}

std::string key_of(const json& object) {
  return key_in(metadata_text(object, "namespace"), metadata_text(object, "name"));
}

std::string controller_uid(const json& object) {
  const auto* owner = controller_of(object);
  return owner == nullptr ? std::string() : text_at(*owner, {"uid"});
}

std::string controller_key(const json& object, std::string_view kind) {
  const auto* owner = controller_of(object);
  if (owner == nullptr || text_at(*owner, {"kind"}) != kind) return {};
  return key_in(metadata_text(object, "namespace"), text_at(*owner, {"name"}));
}

}  // namespace mc::kube
