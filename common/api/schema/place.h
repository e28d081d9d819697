#pragma once
#include <cstddef>
#include <string_view>

#include "common/api/model/field.h"
#include "common/api/schema/node.h"

namespace mc::api {

// The position of a walk through an object. Its path is built only when needed, so that a walk is
// linear however long the names are. Refers to its parent and to its name.
class Place {
 public:
  explicit Place(std::string_view root) : name_(root) {}

  Place operator[](std::size_t index) const { return {this, "", Kind::Item, index}; }
  Place operator/(std::string_view name) const { return {this, name, Kind::Field, 0}; }
  // The member `name` of a value with this schema.
  Place child(const SchemaNode& schema, std::string_view name) const {
    return {this, name, schema.values() ? Kind::Key : Kind::Field, 0};
  }

  // A name of more than 256 bytes is cut.
  FieldPath path() const;

 private:
  enum class Kind { Field, Key, Item };

  Place(const Place* parent, std::string_view name, Kind kind, std::size_t index)
      : parent_(parent), name_(name), kind_(kind), index_(index) {}

  const Place* parent_ = nullptr;  // null: the root
  std::string_view name_;
  Kind kind_ = Kind::Field;
  std::size_t index_ = 0;
};

}  // namespace mc::api
