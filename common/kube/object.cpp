#include "common/kube/object.h"

#include <utility>
#include <vector>

#include "common/base/json.h"

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
class Keep : public json::json_sax_t {
 public:
  explicit Keep(std::size_t level_of_objects) : level_of_objects_(level_of_objects) {}

  json take() { return std::move(root_); }

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(value); }
  bool number_unsigned(number_unsigned_t value) override { return add(value); }
  bool number_float(number_float_t value, const string_t& /*text*/) override { return add(value); }
  bool string(string_t& value) override { return add(std::move(value)); }
  bool binary(binary_t& /*value*/) override { return false; }
  bool start_object(std::size_t /*size*/) override { return open(json::object()); }
  bool start_array(std::size_t /*size*/) override { return open(json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t& name) override {
    key_ = std::move(name);
    if (open_.size() == level_of_objects_ + 1) in_metadata_ = key_ == "metadata";
    is_unread_ = open_.size() == level_of_objects_ + 2 && in_metadata_ && key_ == "managedFields";
    return true;
  }
  bool parse_error(std::size_t /*at*/, const std::string& /*token*/,
                   const json::exception& /*error*/) override {
    return false;
  }

 private:
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

  // Where the value was put; null: it is dropped.
  json* place(json value) {
    if (open_.empty()) return &(root_ = std::move(value));
    json* const parent = open_.back();
    if (parent == nullptr || std::exchange(is_unread_, false) || !is_kept()) return nullptr;
    if (parent->is_array()) return &parent->emplace_back(std::move(value));
    return &((*parent)[key_] = std::move(value));
  }
  bool add(json value) {
    place(std::move(value));
    return true;
  }
  bool open(json value) {
    open_.push_back(place(std::move(value)));
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  const std::size_t level_of_objects_;
  json root_ = json::value_t::discarded;
  std::vector<json*> open_;  // null: dropped, with its contents
  std::string key_;
  bool in_metadata_ = false;
  bool is_unread_ = false;  // the value of the key that was just read
  std::size_t values_ = 0;
};

std::string key_in(const std::string& ns, const std::string& name) {
  return ns.empty() ? name : ns + "/" + name;
}

}  // namespace

json parse_answer(std::string_view text, std::size_t level_of_objects) {
  Keep keep(level_of_objects);
  if (!json::sax_parse(text, &keep)) return json::value_t::discarded;
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

json replacing_patch(const json& stored, json wanted) {
  if (!stored.is_object() || !wanted.is_object()) return wanted;
  for (const auto& [name, value] : stored.items()) {
    json& member = wanted[name];  // null if it is to go
    member = replacing_patch(value, std::move(member));
  }
  return wanted;
}

}  // namespace mc::kube
