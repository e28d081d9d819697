#include "common/api/schema/suggested_field.h"

#include <gtest/gtest.h>

namespace mc::api {
namespace {

const std::vector<std::string> kKnown = {"claimName", "imagePullPolicy", "key", "limits"};

TEST(UnknownField, TheNearestNameIsAskedFor) {
  for (const auto& [name, meant] :
       {std::pair("limit", "limits"), std::pair("LIMITS", "limits"), std::pair("kye", "key"),
        std::pair("lmits", "limits"), std::pair("claim", "claimName"),
        std::pair("ipp", "imagePullPolicy"), std::pair("pullPolicy", "imagePullPolicy")}) {
    EXPECT_EQ(unknown_field(name, kKnown),
              std::string("unknown field, did you mean \"") + meant + "\"?");
  }
}

TEST(UnknownField, WhereNoneIsNearTheFieldsAreNamedUnlessThereAreTooMany) {
  const std::string listed =
      "unknown field, must be one of claimName, imagePullPolicy, key, limits";
  for (const char* name : {"cpu", "k", "ma", ""}) EXPECT_EQ(unknown_field(name, kKnown), listed);
  EXPECT_EQ(unknown_field(std::string(1'000'000, 'x'), kKnown), listed);
  EXPECT_EQ(unknown_field("cpu", {}), "unknown field");
  EXPECT_EQ(unknown_field("cpu", std::vector<std::string>(33, "somethingElse")), "unknown field");
}

TEST(UnknownField, AFieldOfThisNameElsewhereCountsWhereNoNameIsNear) {
  EXPECT_EQ(unknown_field("cpu", kKnown, "limits.cpu"),
            "unknown field, did you mean \"limits.cpu\"?");
  EXPECT_EQ(unknown_field("limit", kKnown, "other.limit"),
            "unknown field, did you mean \"limits\"?");
  EXPECT_EQ(unknown_field("claim", kKnown, "other.claim"),
            "unknown field, did you mean \"claimName\"?");
}

}  // namespace
}  // namespace mc::api
