#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/json.h"

namespace mc::api {

// A place in an object, in apimachinery's syntax: `spec.containers[1].volumes[data].path`. A name
// of more than 256 bytes is cut.
class FieldPath {
 public:
  FieldPath() = default;
  explicit FieldPath(std::string_view root) : text_(root) {}

  FieldPath operator/(std::string_view child) const;  // p / "image"  -> p.image
  FieldPath operator[](std::size_t index) const;      // p[3]         -> p[3]
  FieldPath key(std::string_view name) const;         // p.key("data") -> p[data]

  const std::string& str() const { return text_; }

 private:
  FieldPath with(std::string_view open, std::string_view part, std::string_view close) const;

  std::string text_;
};

inline const FieldPath kSpec("spec");

// One error in one field. Kinds and wording are those of apimachinery's field.Error
// (k8s.io/apimachinery/pkg/util/validation/field), which users know.
struct FieldError {
  // More: further errors, not shown; its message is `detail` alone.
  enum class Kind {
    Required,
    Invalid,
    NotSupported,
    Duplicate,
    Forbidden,
    TooLong,
    TooMany,
    Type,
    More
  };

  Kind kind;
  std::string field;                      // FieldPath::str()
  std::string detail;                     // the reason, and what would be valid
  json value = json::value_t::discarded;  // shown in the message unless discarded

  friend bool operator==(const FieldError& a, const FieldError& b);
};

using FieldErrors = std::vector<FieldError>;

// Short constructors, one per kind. `invalid_hidden` is for values that may be secret or long
// (curveCert, brokerConfig, environment, users' scripts): it shows only the reason.
FieldError required(const FieldPath& field, std::string detail);
FieldError invalid(const FieldPath& field, json value, std::string detail);
FieldError invalid_hidden(const FieldPath& field, std::string detail);
FieldError not_supported(const FieldPath& field, json value,
                         const std::vector<std::string>& supported);
FieldError duplicate(const FieldPath& field, json value, std::string detail = "");
FieldError forbidden(const FieldPath& field, std::string detail);
FieldError too_long(const FieldPath& field, std::size_t most);
FieldError too_many(const FieldPath& field, std::size_t actual, std::size_t most);
FieldError wrong_type(const FieldPath& field, json value, std::string detail);

// `Invalid value: 0: must be greater than or equal to 1`; a long value is cut and its length given.
std::string message(const FieldError& error);

// The metav1.StatusCause, with a CauseType of FieldValueInvalid, FieldValueRequired ...
json cause_of(const FieldError& error);

// `spec.size: Invalid value: ...`
std::string to_string(const FieldError& error);

// All of them in one line, without duplicates, as apimachinery's ErrorList: `a`, or `[a, b]`.
std::string to_string(const FieldErrors& errors);

}  // namespace mc::api
