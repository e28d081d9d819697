#include "common/api/validation/text_rules.h"

#include <gtest/gtest.h>

namespace mc::api {
namespace {

using Rule = std::optional<std::string> (*)(std::string_view);

void expect(Rule rule, bool good, std::initializer_list<const char*> texts) {
  for (const char* text : texts) EXPECT_EQ(!rule(text), good) << text;
}

TEST(TextRules, Quantities) {
  expect(not_quantity, true,
         {"0", "1", "-1", "+1.5", ".5", "1.", "500m", "2Gi", "1e3", "1E-3", "3E", "7Ei", "1.5k"});
  expect(
      not_quantity, false,
      {"", ".", "m", "1 ", " 1", "1GB", "1gi", "1e", "1e+", "1K", "0x1", "--1", "1e1.5", "1e1k"});
}

TEST(TextRules, FluxTopologies) {
  expect(
      not_flux_topology, true,
      {"kary:1", "kary:0", "kary:256", "mincrit", "mincrit:", "mincrit:4", "binomial", "custom"});
  expect(not_flux_topology, false,
         {"", "kary", "kary:", "kary:x", "kary:-1", "kary: 2", "Kary:2", "binomial:2", "custom:2",
          "flat", "kary:2 ", "kary:$(id)"});
}

TEST(TextRules, Images) {
  expect(not_image, true,
         {"ubuntu", "ubuntu:noble", "ghcr.io/a/b-c_d.e:Tag", "localhost/a", "host:5000/a/b",
          "host:5000/a:1", "a@sha256:0123", "a/b:1@sha256:0123", "Registry/a"});
  expect(not_image, false,
         {"", " ubuntu", "ubuntu:noble ", "Ubuntu", "ghcr.io/Team/app", "docker://ubuntu", "a//b",
          "a b", "/a", "a/", "ghcr.io/", "https://ghcr.io/a"});
}

TEST(TextRules, KeysOfConfigMapsAndFilesOfVolumes) {
  expect(not_config_key, true, {"a", "A_B", "a.b", ".a", "-"});
  expect(not_config_key, false, {"", "a b", "a/b", ".", "..", "..a"});
  expect(not_path_within, true, {"a", "a/b", "a..b", "a/..b"});
  expect(not_path_within, false, {"/a", "..", "../a", "..a", "a/../b", "a/.."});
}

TEST(TextRules, FluxDurations) {
  expect(not_flux_duration, true, {"5s", "0", "1.5m", "100ms", ".5h", "2d", "inf", "infinity"});
  expect(not_flux_duration, false, {"", "s", "5 s", "5sec", "-1s", "1m30s", "forever"});
}

TEST(TextRules, KeysOfLabels) {
  expect(not_qualified_name, true, {"a", "A_b.c-1", "example.com/team", "a/b", "1-2.x/y"});
  expect(not_qualified_name, false,
         {"", "/", "a/", "/b", "a/b/c", "Example.com/b", "a..b/c", "a./c", "-a", "a-", "a b"});
  EXPECT_TRUE(not_qualified_name(std::string(64, 'a')));
  EXPECT_FALSE(not_qualified_name(std::string(63, 'a')));
}

TEST(TextRules, ValuesOfLabels) {
  expect(not_label_value, true, {"", "a", "A_b.c-1"});
  expect(not_label_value, false, {"a b", "-a", "a.", "a/b"});
}

TEST(TextRules, NamesOfObjectsAndVariables) {
  expect(not_dns1123_label, true, {"a", "1a", "a-b"});
  expect(not_dns1123_label, false, {"", "-a", "a-", "A", "a.b", "a_b"});
  expect(not_dns1035_label, true, {"a", "a1", "a-b"});
  expect(not_dns1035_label, false, {"", "1a", "a-", "A"});
  expect(not_dns1123_subdomain, true, {"a", "1.a", "a-b.c"});
  expect(not_dns1123_subdomain, false, {"", ".a", "a.", "a..b", "A", "a_b", "a.-b"});
  EXPECT_EQ(not_dns1123_subdomain(std::string(254, 'a')), "must be no more than 253 bytes");
  expect(not_environment_name, true, {"A", "a b", "1", "a.b"});
  expect(not_environment_name, false, {"", "A=B", "a\n", "\xc3\xa9"});
}

}  // namespace
}  // namespace mc::api
