#include "common/api/model/field.h"

#include <gtest/gtest.h>

namespace mc::api {
namespace {

TEST(FieldErrors, EqualOnesAreSaidOnceInALine) {
  const FieldError size = invalid(FieldPath("spec.size"), 0, "must be at least 1");
  const FieldError image = required(FieldPath("spec.image"), "needed");
  EXPECT_EQ(to_string({size, size}), "spec.size: Invalid value: 0: must be at least 1");
  EXPECT_EQ(
      to_string({size, image, size}),
      "[spec.size: Invalid value: 0: must be at least 1, spec.image: Required value: needed]");
}

}  // namespace
}  // namespace mc::api
