#include "common/base/similar.h"

#include <gtest/gtest.h>

namespace mc {
namespace {

TEST(MostSimilar, IsTheNameThatDiffersInAFewLetters) {
  const std::vector<std::string> known = {"suspend", "resume", "run", "maxSize"};
  EXPECT_EQ(most_similar("suspnd", known), "suspend");
  EXPECT_EQ(most_similar("susepnd", known), "suspend");
  EXPECT_EQ(most_similar("RUN", known), "run");
  EXPECT_EQ(most_similar("ru", known), "run");
  EXPECT_EQ(most_similar("maxsize", known), "maxSize");
  EXPECT_EQ(most_similar("resumed", known), "resume");
}

TEST(MostSimilar, IsNoneWhereTooMuchDiffers) {
  const std::vector<std::string> known = {"suspend", "run"};
  for (const char* written : {"", "delete", "srn1", "x"})
    EXPECT_EQ(most_similar(written, known), "") << written;
  EXPECT_EQ(most_similar("run", {}), "");
  EXPECT_EQ(most_similar(std::string(1'000'000, 'r'), known), "");
}

}  // namespace
}  // namespace mc
