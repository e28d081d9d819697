#include "common/base/base64.h"

#include <gtest/gtest.h>

namespace mc {
namespace {

// RFC 4648, section 10, and binary data.
TEST(Base64, GoesBothWays) {
  const std::pair<std::string, std::string> cases[] = {
      {"", ""},
      {"f", "Zg=="},
      {"fo", "Zm8="},
      {"foo", "Zm9v"},
      {"foob", "Zm9vYg=="},
      {"fooba", "Zm9vYmE="},
      {"foobar", "Zm9vYmFy"},
      {"\xff\xfe\xfd", "//79"},
      {"\xfb\xef", "++8="},
      {std::string(2, '\0'), "AAA="},
  };
  for (const auto& [bytes, text] : cases) {
    EXPECT_EQ(base64(bytes), text);
    EXPECT_EQ(base64_decoded(text), bytes) << text;
  }
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  EXPECT_EQ(base64_decoded(base64(all)), all);
}

TEST(Base64, MayBeBrokenIntoLines) { EXPECT_EQ(base64_decoded("Zm9v\r\nYm\nE=\n"), "fooba"); }

TEST(Base64, OfOtherFormsIsNone) {
  for (const char* text : {"a", "====", "=", "Zg=", "Zg", "Z===", "Zg==Zg==", "Z=g=", "YW!=",
                           "Zm 9v", "-_79", "Zm9v=", "Zm9v===="}) {
    EXPECT_FALSE(base64_decoded(text)) << text;
  }
}

}  // namespace
}  // namespace mc
