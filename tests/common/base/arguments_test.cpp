#include "common/base/arguments.h"

#include <gtest/gtest.h>

namespace mc {
namespace {

using Arguments = std::vector<std::string>;

Arguments in_order(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "program");
  Arguments out = reversed_arguments(static_cast<int>(arguments.size()), arguments.data());
  return {out.rbegin(), out.rend()};
}

TEST(Arguments, StayAsTheyAre) {
  const Arguments all = {"--a",   "b",  "--c=d", "--e==", "--f=g=", "-h", "-i2",
                         "-jk=l", "m=", "--",    "",      "-",      "=",  "--=n"};
  std::vector<const char*> pointers;
  for (const std::string& one : all) pointers.push_back(one.c_str());
  EXPECT_EQ(in_order(pointers), all);
  EXPECT_EQ(in_order({}), Arguments{});
}

TEST(Arguments, AFlagWithNothingAfterItsEqualsSignHasAnEmptyValue) {
  EXPECT_EQ(in_order({"--a=", "--b"}), (Arguments{"--a", "", "--b"}));
  EXPECT_EQ(in_order({"x", "--a="}), (Arguments{"x", "--a", ""}));
}

TEST(Arguments, AShortFlagMayHaveAnEqualsSign) {
  EXPECT_EQ(in_order({"-v=2", "-f=a=b", "-o="}), (Arguments{"-v", "2", "-f", "a=b", "-o", ""}));
}

}  // namespace
}  // namespace mc
