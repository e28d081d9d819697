#pragma once
#include <gtest/gtest.h>

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "common/api/examine.h"
#include "tests/common/api/base_object.h"
#include "tests/support/messages.h"

// Tables of the errors for which a MiniCluster is rejected.
namespace mc::test {

// One error, or a list.
struct Errors : std::vector<std::string> {
  using vector::vector;
  Errors(const char* error) : vector(1, error) {}
  Errors(std::string error) : vector(1, std::move(error)) {}
};

struct Case {
  const char* name;
  const char* patch;   // merge patch onto the base object
  Errors errors = {};  // none: it is accepted
};

inline std::vector<std::string> told(const api::FieldErrors& errors) {
  std::vector<std::string> out;
  for (const api::FieldError& error : errors) {
    out.push_back(to_string(error));
    collect_message("Errors in a field", out.back(), error.detail);
  }
  return out;
}

inline std::vector<std::string> errors_of(const json& object, const json& old = nullptr) {
  return told(api::examine(object, old).errors);
}

inline void expect_errors(std::span<const Case> cases) {
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(errors_of(with_patch(c.patch)), c.errors);
  }
}

// Messages of apimachinery that many rows share.
inline const std::string kLabelWords =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and "
    "must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc')";
inline const std::string kSubdomainWords =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or "
    "'.', and must start and end with an alphanumeric character (e.g. 'example.com')";
inline const std::string kQuantityWords =
    "must be a quantity, a number with an optional suffix (e.g. '500m', '2', '1.5Gi')";
inline const std::string kNameWords =
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end "
    "with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc')";
inline const std::string kLabelValueWords =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or "
    "'.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  "
    "or '12345')";

}  // namespace mc::test
