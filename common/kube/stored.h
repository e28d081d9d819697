#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include "common/base/guarded.h"
#include "common/kube/object.h"

namespace mc::kube {

// An object in a store, as a tree or packed into its text, which takes far less memory. The object
// never changes; copies share it, and are packed together. Thread safe.
class Stored {
 public:
  Stored() = default;  // none
  explicit Stored(Object tree);

  explicit operator bool() const { return held_ != nullptr; }
  // A packed object is parsed in each call. Null: none.
  Object object() const;
  void pack() const;

  // Of metadata.resourceVersion; 0 if that is not a number: then it cannot be compared.
  std::uint64_t version() const { return held_ == nullptr ? 0 : held_->version; }

  // As controller_uid() (object.h), without parsing.
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

// The number that a resourceVersion is. Versions can be compared within a resource type
// (kubernetes/enhancements, KEP-5504; always true with etcd). 0 if it is not a number.
std::uint64_t version_number(const std::string& text);

}  // namespace mc::kube
