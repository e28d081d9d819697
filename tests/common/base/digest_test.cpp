#include "common/base/digest.h"

#include <gtest/gtest.h>

namespace mc {
namespace {

// The reference values of FNV's authors.
TEST(Digest, IsFnv1a) {
  EXPECT_EQ(fnv1a_hex(""), "cbf29ce484222325");
  EXPECT_EQ(fnv1a_hex("a"), "af63dc4c8601ec8c");
  EXPECT_EQ(fnv1a_hex("foobar"), "85944171f73967e8");
}

}  // namespace
}  // namespace mc
