#include "common/http/bind_address.h"

#include <gtest/gtest.h>

namespace mc::http {
namespace {

TEST(BindAddressTest, ReadsWhatTheFlagsOfControllerRuntimeTake) {
  const struct {
    std::string text;
    std::optional<BindAddress> address;
  } cases[] = {
      {":8080", BindAddress{"", 8080}},
      {"127.0.0.1:0", BindAddress{"127.0.0.1", 0}},
      {"localhost:9443", BindAddress{"localhost", 9443}},
      {"[::1]:8080", BindAddress{"::1", 8080}},
      {"0", std::nullopt},
      {"", std::nullopt},
  };
  for (const auto& [text, address] : cases) {
    const auto parsed = parse_bind_address(text);
    ASSERT_TRUE(parsed) << text;
    EXPECT_EQ(*parsed, address) << text;
  }
}

TEST(BindAddressTest, SaysWhatIsWrong) {
  for (const char* text : {"8080", "host", "host:", ":65536", ":-1", ":80x", "::1:80", "[::1]"}) {
    const auto parsed = parse_bind_address(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_EQ(parsed.error().message, "\"" + std::string(text) +
                                          "\" is not an address to listen on: must be host:port or "
                                          ":port, or 0 for none");
  }
}

}  // namespace
}  // namespace mc::http
