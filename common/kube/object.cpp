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
  Keep(std::size_t level_of_objects, const Unread& unread)
      : level_of_objects_(level_of_objects), unread_(unread) {}

  json take() { return std::move(root_); }

  void key(std::string_view name) override {
    if (!open_.empty() && open_.back().value == nullptr) return;  // dropped
    key_ = name;
    if (open_.size() == level_of_objects_ + 1) in_metadata_ = key_ == "metadata";
    const Unread* in = open_.empty() ? nullptr : open_.back().unread;
    member_ = in == nullptr ? nullptr : in->member(name);
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
    open_.push_back({at, open_.size() == level_of_objects_ ? &unread_ : unread_in_next()});
  }
  void end() override { open_.pop_back(); }

 private:
  struct Open {
    json* value;           // null: dropped, with its contents
    const Unread* unread;  // in it, or in each of its entries; null: nothing
  };

  const Unread* unread_in_next() const {
    if (open_.empty() || open_.back().value == nullptr) return nullptr;
    return open_.back().value->is_array() ? open_.back().unread : member_;
  }

  // Whether to keep the next value, below the open ones.
  bool is_kept() {
    if (open_.size() <= level_of_objects_) {
      values_ = 0;
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
    if ((member_ != nullptr && member_->nothing_is_read()) || !is_kept()) return nullptr;
    auto& members = parent->get_ref<json::object_t&>();
    // The API server sends the members of maps in their order.
    return &members.try_emplace(members.end(), key_)->second;
  }

  const std::size_t level_of_objects_;
  const Unread& unread_;
  json root_ = json::value_t::discarded;
  std::vector<Open> open_;
  std::string key_;                 // of the next value
  const Unread* member_ = nullptr;  // of the next value
  bool in_metadata_ = false;
  std::size_t values_ = 0;
};

}  // namespace

std::string key_in(const std::string& ns, const std::string& name) {
  return ns.empty() ? name : ns + "/" + name;
}

json parse_answer(std::string_view text, std::size_t level_of_objects, const Unread& unread) {
  Keep keep(level_of_objects, unread);
  if (!read_json(text, keep)) return json::value_t::discarded;
  return keep.take();
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
