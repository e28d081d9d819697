#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include "common/kube/object.h"

namespace mc::kube {

// An object in a store, as a tree or packed into its text, which takes far less memory. Immutable;
// copies share it.
class Stored {
 public:
  Stored() = default;  // none
  explicit Stored(Object tree);

  explicit operator bool() const { return tree_ != nullptr || packed_ != nullptr; }
  // A packed object is parsed in each call. Null: none.
  Object object() const;
  Stored packed() const;
  bool is_packed() const { return packed_ != nullptr; }

  // Of metadata.resourceVersion; 0 if that is not a number: then it cannot be compared.
  std::uint64_t version() const { return version_; }

  // As controller_uid() (object.h), without parsing.
  std::string owner() const;

  // True if both share one object.
  bool operator==(const Stored&) const = default;

 private:
  struct Packed {
    std::string text;
    std::string owner;
  };

  Object tree_;
  std::shared_ptr<const Packed> packed_;
  std::uint64_t version_ = 0;
};

// The number that a resourceVersion is. Versions can be compared within a resource type
// (kubernetes/enhancements, KEP-5504; always true with etcd). 0 if it is not a number.
std::uint64_t version_number(const std::string& text);

}  // namespace mc::kube
