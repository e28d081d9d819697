#include "common/kube/object.h"

#include <utility>
#include <vector>

#include "common/base/json.h"
#include "common/base/json_reader.h"
#include "common/base/text.h"

namespace mc::kube {
namespace {

// The owner reference with controller: true, of which an object has at most one; null if none.
const json* controller_of(const json& object) {
  for (const json& owner : items_at(object, {"metadata", "ownerReferences"})) {
    if (at_path(owner, {"controller"}) == true) return &owner;
  }
  return nullptr;
}

// Builds a JSON value of the parts that are kept.
class Keep : public JsonHandler {
 public:
  Keep(std::size_t level_of_objects, const Fields& fields, const IsKnown& is_known)
      : level_of_objects_(level_of_objects), fields_(fields), is_known_(is_known) {}

  json take() { return std::move(root_); }

  bool key(std::string_view name) override {
    if (open_.back().value == nullptr) return false;  // dropped
    const bool is_of_object = open_.size() == level_of_objects_ + 1;
    if (is_of_object && knows_object_) return false;
    if (is_of_object) in_metadata_ = name == "metadata";
    const Fields& in = *open_.back().fields;
    member_ = in.are_all() ? &kAllFields : in.member(name);
    if (member_ == nullptr || is_managed_fields(name)) return false;
    key_ = name;
    return true;
  }
  void string(std::string_view text) override {
    if (json* at = place()) *at = text;
  }
  void scalar(json value) override {
    if (json* at = place()) *at = std::move(value);
  }
  void start(json::value_t type) override {
    json* at = place();
    if (at != nullptr) *at = json(type);
    open_.push_back({at, fields_in_next()});
  }
  void end() override {
    if (is_known_ && in_metadata_ && open_.size() == level_of_objects_ + 2) {
      knows_object_ = is_known_(*open_.back().value);
    }
    open_.pop_back();
  }

 private:
  struct Open {
    json* value;           // null: dropped, with its contents
    const Fields* fields;  // what is read of it, or of each of its entries
  };

  bool is_managed_fields(std::string_view name) const {
    return in_metadata_ && open_.size() == level_of_objects_ + 2 && name == "managedFields";
  }

  const Fields* fields_in_next() const {
    if (open_.size() == level_of_objects_) return &fields_;
    if (open_.size() < level_of_objects_ || open_.back().value == nullptr) return &kAllFields;
    return open_.back().value->is_array() ? open_.back().fields : member_;
  }

  // Whether to keep the next value, below the open ones.
  bool is_kept() {
    if (open_.size() <= level_of_objects_) {
      values_ = 0;
      knows_object_ = false;
      return true;
    }
    const std::size_t below = open_.size() - level_of_objects_;
    if (below == 1 || (below == 2 && in_metadata_)) return true;
    return below < kMaxJsonLevels && ++values_ <= kMostObjectValues;
  }

  // Where the next value belongs; null: it is dropped.
  json* place() {
    if (open_.empty()) return &root_;
    json* const parent = open_.back().value;
    if (parent == nullptr) return nullptr;
    if (parent->is_array()) return is_kept() ? &parent->emplace_back() : nullptr;
    if (!is_kept()) return nullptr;
    auto& members = parent->get_ref<json::object_t&>();
    // The API server sends the members of maps in their order.
    return &members.try_emplace(members.end(), key_)->second;
  }

  const std::size_t level_of_objects_;
  const Fields& fields_;
  const IsKnown& is_known_;
  json root_ = json::value_t::discarded;
  std::vector<Open> open_;
  // Of the next value in an object.
  std::string key_;
  const Fields* member_ = nullptr;  // what is read of it
  bool in_metadata_ = false, knows_object_ = false;
  std::size_t values_ = 0;
};

}  // namespace

std::string key_in(const std::string& ns, const std::string& name) {
  return ns.empty() ? name : ns + "/" + name;
}

json parse_answer(std::string_view text, std::size_t level_of_objects, const Fields& fields,
                  const IsKnown& is_known) {
  Keep keep(level_of_objects, fields, is_known);
  if (!read_json(text, keep)) return json::value_t::discarded;
  return keep.take();
}

std::string metadata_text(const json& object, const char* member) {
  return text_at(object, {"metadata", member});
}

std::string key_of(const json& object) {
  return key_in(metadata_text(object, "namespace"), metadata_text(object, "name"));
}

const std::string& controller_uid(const json& object) {
  static const std::string kNone;
  const auto* owner = controller_of(object);
  const auto* uid =
      owner == nullptr ? nullptr : at_path(*owner, {"uid"}).get_ptr<const std::string*>();
  return uid == nullptr ? kNone : *uid;
}

std::string controller_key(const json& object, std::string_view kind) {
  const auto* owner = controller_of(object);
  if (owner == nullptr || text_at(*owner, {"kind"}) != kind) return {};
  return key_in(metadata_text(object, "namespace"), text_at(*owner, {"name"}));
}

std::uint64_t version_number(const std::string& text) { return parse_unsigned(text).value_or(0); }

json replacing_patch(const json& stored, json wanted) {
  if (!stored.is_object() || !wanted.is_object()) return wanted;
  for (const auto& [name, value] : stored.items()) {
    json& member = wanted[name];  // null if it is to go
    member = replacing_patch(value, std::move(member));
  }
  return wanted;
}

}  // namespace mc::kube
