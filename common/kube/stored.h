#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "common/base/guarded.h"
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

// JSON, as a tree or packed into its text, which takes far less memory. Copies are packed together.
template <>
class Stored<json> {
 public:
  Stored() = default;  // none
  explicit Stored(Object tree);

  explicit operator bool() const { return held_ != nullptr; }
  // A packed object is parsed in each call. Null: none.
  Object object() const;
  void pack() const;

  // As in Stored<T>; key and uid are read from the object.
  std::string key() const { return key_of(*object()); }
  std::string uid() const;
  std::uint64_t version() const { return held_ == nullptr ? 0 : held_->version; }
  std::string owner() const { return held_ == nullptr ? std::string() : held_->owner; }

  // True if both share one object.
  bool operator==(const Stored&) const = default;

 private:
  struct Form {
    Object tree;  // null: packed
    std::string text;
  };
  struct Held {
    Held(std::string owner, std::uint64_t version, Object tree);

    const std::string owner;
    const std::uint64_t version;
    Guarded<Form> form;
  };

  std::shared_ptr<Held> held_;
};

}  // namespace mc::kube
