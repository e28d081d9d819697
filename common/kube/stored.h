#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "common/kube/object.h"

namespace mc::kube {

// An object in a store. It never changes; copies share it. Thread safe. T has a member `metadata`
// with the name, ns, uid and version of the object, and the uid of its controller in owner.uid.
template <class T>
class Stored {
 public:
  Stored() = default;  // none
  explicit Stored(std::shared_ptr<const T> object) : object_(std::move(object)) {}

  explicit operator bool() const { return object_ != nullptr; }
  const std::shared_ptr<const T>& object() const { return object_; }  // null: none

  std::string key() const { return key_in(object_->metadata.ns, object_->metadata.name); }
  std::string uid() const { return object_ == nullptr ? std::string() : object_->metadata.uid; }
  // Of metadata.resourceVersion; 0 if that is not a number: then it cannot be compared.
  std::uint64_t version() const { return object_ == nullptr ? 0 : object_->metadata.version; }
  // The uid of its controller; empty if it has none.
  std::string owner() const {
    return object_ == nullptr ? std::string() : object_->metadata.owner.uid;
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
  std::string uid() const { return text("uid"); }
  std::uint64_t version() const { return version_number(text("resourceVersion")); }
  std::string owner() const { return object_ == nullptr ? "" : controller_uid(*object_); }

  // True if both share one object.
  bool operator==(const Stored&) const = default;

 private:
  std::string text(const char* member) const {
    return object_ == nullptr ? "" : metadata_text(*object_, member);
  }

  Object object_;
};

}  // namespace mc::kube
