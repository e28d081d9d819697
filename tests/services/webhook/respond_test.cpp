#include "services/webhook/respond.h"

#include <gtest/gtest.h>

namespace mc::webhook {
namespace {

TEST(Patch, AddsAndReplacesAndNeverRemoves) {
  const struct {
    const char* from;
    const char* to;
    const char* operations;
  } cases[] = {
      {R"({"a": 1})", R"({"a": 1})", "[]"},
      {R"({"a": 1})", R"({"a": 1, "b": {"c": 2}})",
       R"([{"op": "add", "path": "/b", "value": {"c": 2}}])"},
      {R"({"a": null})", R"({"a": {"c": 2}})",
       R"([{"op": "replace", "path": "/a", "value": {"c": 2}}])"},
      {R"({"a": 1, "b": 2})", R"({"a": 3})", R"([{"op": "replace", "path": "/a", "value": 3}])"},
      {R"({"l": [{"a": 1}, {"a": 2}]})", R"({"l": [{"a": 1, "b": 1}]})",
       R"([{"op": "add", "path": "/l/0/b", "value": 1}])"},
      {R"({"a/b~c": {}})", R"({"a/b~c": {"d": 1}})",
       R"([{"op": "add", "path": "/a~1b~0c/d", "value": 1}])"},
  };
  for (const auto& [from, to, operations] : cases) {
    EXPECT_EQ(additions(json::parse(from), json::parse(to)), json::parse(operations)) << from;
  }
}

TEST(Respond, EqualErrorsAreSaidOnceInTheMessage) {
  const api::FieldError error =
      api::invalid(api::FieldPath("spec.size"), 0, "must be greater than or equal to 1");
  EXPECT_EQ(invalid_message("x", {error, error}),
            "MiniCluster.flux-framework.org \"x\" is invalid: spec.size: Invalid value: 0: must be "
            "greater than or equal to 1");
}

}  // namespace
}  // namespace mc::webhook
