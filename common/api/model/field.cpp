#include "common/api/model/field.h"

#include <set>
#include <utility>

#include "common/base/text.h"

namespace mc::api {
namespace {

// A longer value is cut in messages, and so is a name in a path: there may be a hundred errors, and
// each error below a name contains it. Conditions and events are bounded, too.
constexpr std::size_t kMaxShown = 256;
// The limit of a detail, which may quote user input.
constexpr std::size_t kMaxDetail = 4096;

std::string cut(std::string_view text, std::size_t most) {
  if (text.size() <= most) return std::string(text);
  return std::string(cut_utf8(text, most)) + "...";
}

std::string shown(const json& value) {
  std::string text = dump(value);
  if (text.size() <= kMaxShown) return text;
  return cut(text, kMaxShown) + " (" + std::to_string(text.size()) + " bytes)";
}

std::string_view words(FieldError::Kind kind) {
  switch (kind) {
    case FieldError::Kind::Required:
      return "Required value";
    case FieldError::Kind::Invalid:
    case FieldError::Kind::Type:
    case FieldError::Kind::More:
      return "Invalid value";
    case FieldError::Kind::NotSupported:
      return "Unsupported value";
    case FieldError::Kind::Duplicate:
      return "Duplicate value";
    case FieldError::Kind::Forbidden:
      return "Forbidden";
    case FieldError::Kind::TooLong:
      return "Too long";
    case FieldError::Kind::TooMany:
      return "Too many";
  }
  std::unreachable();
}

// The CauseType of metav1.StatusCause.
std::string_view cause_type(FieldError::Kind kind) {
  switch (kind) {
    case FieldError::Kind::Required:
      return "FieldValueRequired";
    case FieldError::Kind::Invalid:
    case FieldError::Kind::More:
      return "FieldValueInvalid";
    case FieldError::Kind::NotSupported:
      return "FieldValueNotSupported";
    case FieldError::Kind::Duplicate:
      return "FieldValueDuplicate";
    case FieldError::Kind::Forbidden:
      return "FieldValueForbidden";
    case FieldError::Kind::TooLong:
      return "FieldValueTooLong";
    case FieldError::Kind::TooMany:
      return "FieldValueTooMany";
    case FieldError::Kind::Type:
      return "FieldValueTypeInvalid";
  }
  std::unreachable();
}

}  // namespace

// One allocation: validation makes a path for each field that it looks at.
FieldPath FieldPath::with(std::string_view open, std::string_view part,
                          std::string_view close) const {
  FieldPath path;
  path.text_.reserve(text_.size() + open.size() + part.size() + close.size());
  path.text_.append(text_).append(open).append(part).append(close);
  return path;
}

FieldPath FieldPath::operator/(std::string_view child) const {
  const std::string_view dot = text_.empty() ? "" : ".";
  return child.size() <= kMaxShown ? with(dot, child, "") : with(dot, cut(child, kMaxShown), "");
}

FieldPath FieldPath::operator[](std::size_t index) const {
  return with("[", std::to_string(index), "]");
}

FieldPath FieldPath::key(std::string_view name) const {
  return name.size() <= kMaxShown ? with("[", name, "]") : with("[", cut(name, kMaxShown), "]");
}

// A discarded JSON value equals nothing, not even itself.
bool operator==(const FieldError& a, const FieldError& b) {
  const bool same_value = a.value.is_discarded() || b.value.is_discarded()
                              ? a.value.is_discarded() == b.value.is_discarded()
                              : a.value == b.value;
  return a.kind == b.kind && a.field == b.field && a.detail == b.detail && same_value;
}

FieldError required(const FieldPath& field, std::string detail) {
  return {FieldError::Kind::Required, field.str(), std::move(detail)};
}

FieldError invalid(const FieldPath& field, json value, std::string detail) {
  return {FieldError::Kind::Invalid, field.str(), std::move(detail), std::move(value)};
}

FieldError invalid_hidden(const FieldPath& field, std::string detail) {
  return {FieldError::Kind::Invalid, field.str(), std::move(detail)};
}

FieldError not_supported(const FieldPath& field, json value,
                         const std::vector<std::string>& supported) {
  std::string detail = "supported values: ";
  for (std::size_t i = 0; i < supported.size(); ++i) {
    detail += (i == 0 ? "" : ", ") + json(supported[i]).dump();
  }
  return {FieldError::Kind::NotSupported, field.str(), std::move(detail), std::move(value)};
}

FieldError duplicate(const FieldPath& field, json value, std::string detail) {
  return {FieldError::Kind::Duplicate, field.str(), std::move(detail), std::move(value)};
}

FieldError forbidden(const FieldPath& field, std::string detail) {
  return {FieldError::Kind::Forbidden, field.str(), std::move(detail)};
}

FieldError too_long(const FieldPath& field, std::size_t most) {
  return {FieldError::Kind::TooLong, field.str(),
          "may not be more than " + std::to_string(most) + " bytes"};
}

FieldError too_many(const FieldPath& field, std::size_t actual, std::size_t most) {
  return {FieldError::Kind::TooMany, field.str(),
          "must have at most " + std::to_string(most) + " items", actual};
}

FieldError wrong_type(const FieldPath& field, json value, std::string detail) {
  return {FieldError::Kind::Type, field.str(), std::move(detail), std::move(value)};
}

std::string message(const FieldError& error) {
  std::string detail = cut(error.detail, kMaxDetail);
  if (error.kind == FieldError::Kind::More) return detail;
  std::string text{words(error.kind)};
  if (!error.value.is_discarded()) text += ": " + shown(error.value);
  if (!detail.empty()) text += ": " + detail;
  return text;
}

std::string to_string(const FieldError& error) { return error.field + ": " + message(error); }

json cause_of(const FieldError& error) {
  return {{"reason", cause_type(error.kind)}, {"message", message(error)}, {"field", error.field}};
}

std::string to_string(const FieldErrors& errors) {
  std::set<std::string> said;
  std::vector<std::string> all;
  for (const FieldError& error : errors) {
    std::string text = to_string(error);
    if (said.insert(text).second) all.push_back(std::move(text));
  }
  const std::string list = joined(all, ", ");
  return all.size() == 1 ? list : "[" + list + "]";
}

}  // namespace mc::api
