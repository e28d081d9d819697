#pragma once
#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "common/kube/object.h"

namespace mc::kube {

// An object in a store. It never changes; copies share it. Thread safe. T has a member `metadata`
// with the name, ns, uid and version of the object, and the uid of its controller in owner.uid. The
// texts that it returns live as long as the object.
template <class T>
class Stored {
 public:
  Stored() = default;  // none
  explicit Stored(std::shared_ptr<const T> object) : object_(std::move(object)) {}

  explicit operator bool() const { return object_ != nullptr; }
  const std::shared_ptr<const T>& object() const { return object_; }  // null: none

  std::string key() const { return key_in(object_->metadata.ns, object_->metadata.name); }
  std::string_view ns() const { return object_->metadata.ns; }
  std::string_view name() const { return object_->metadata.name; }
  std::string_view uid() const { return object_->metadata.uid; }
  // Of metadata.resourceVersion; 0 if that is not a number: then it cannot be compared.
  std::uint64_t version() const { return object_->metadata.version; }
  // The uid of its controller; empty if it has none, or if there is no object.
  std::string_view owner() const {
    if (object_ == nullptr) return {};
    return object_->metadata.owner.uid;
  }

  // True if both share one object.
  bool operator==(const Stored&) const = default;

 private:
  std::shared_ptr<const T> object_;
};

// JSON as the API server sent it.
template <>
class Stored<json> {
 public:
  Stored() = default;  // none
  explicit Stored(Object object) : object_(std::move(object)) {}

  explicit operator bool() const { return object_ != nullptr; }
  const Object& object() const { return object_; }  // null: none

  std::string key() const { return key_of(*object_); }
  std::string_view ns() const { return text("namespace"); }
  std::string_view name() const { return text("name"); }
  std::string_view uid() const { return text("uid"); }
  std::uint64_t version() const { return version_number(std::string(text("resourceVersion"))); }
  std::string_view owner() const {
    return object_ == nullptr ? std::string_view() : controller_uid(*object_);
  }

  // True if both share one object.
  bool operator==(const Stored&) const = default;

 private:
  std::string_view text(const char* member) const {
    const auto* text = at_path(*object_, {"metadata", member}).get_ptr<const std::string*>();
    return text == nullptr ? std::string_view() : *text;
  }

  Object object_;
};

// Orders objects by namespace and name, and finds one by its key.
template <class T>
struct ByKey {
  using is_transparent = void;

  bool operator()(const auto& a, const auto& b) const { return name_of(a) < name_of(b); }

 private:
  using NameInNamespace = std::pair<std::string_view, std::string_view>;

  static NameInNamespace name_of(const Stored<T>& object) { return {object.ns(), object.name()}; }
  static NameInNamespace name_of(std::string_view key) {
    const std::size_t end = key.find('/');
    if (end == std::string_view::npos) return {"", key};
    return {key.substr(0, end), key.substr(end + 1)};
  }
};

// Orders objects by the uid of their controller, then as ByKey, and finds those of one controller
// in its namespace. An owner reference into another namespace is none (Kubernetes, "Owners and
// Dependents").
template <class T>
struct ByOwner {
  using is_transparent = void;
  using Pointer = const Stored<T>*;
  struct Owner {
    std::string_view uid, ns;
    auto operator<=>(const Owner&) const = default;
  };

  bool operator()(Pointer a, Pointer b) const {
    const int order = a->owner().compare(b->owner());
    return order != 0 ? order < 0 : ByKey<T>()(*a, *b);
  }
  bool operator()(Pointer a, const Owner& b) const { return owner_of(a) < b; }
  bool operator()(const Owner& a, Pointer b) const { return a < owner_of(b); }

 private:
  static Owner owner_of(Pointer object) { return {object->owner(), object->ns()}; }
};

}  // namespace mc::kube
