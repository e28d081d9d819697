#include "common/flux/curve.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace mc::flux {
namespace {

const CurveKeys kPair = generate_curve_keys();

// Replaces the first `from`, which must exist.
std::string with(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(CurveKeys, AreFreshEveryTime) {
  const CurveKeys a = generate_curve_keys(), b = generate_curve_keys();
  EXPECT_EQ(a.public_key.size(), 40U);
  EXPECT_EQ(a.secret_key.size(), 40U);
  EXPECT_NE(a.public_key, b.public_key);
  EXPECT_NE(a.secret_key, b.secret_key);
  EXPECT_NE(a.public_key, a.secret_key);
}

TEST(CurveCertificate, HasFluxsForm) {
  EXPECT_EQ(curve_certificate(kPair, "fs"),
            "# The CURVE key pair of a Flux instance. Keep it secret.\n"
            "metadata\n"
            "    name = \"fs\"\n"
            "curve\n"
            "    public-key = \"" +
                kPair.public_key +
                "\"\n"
                "    secret-key = \"" +
                kPair.secret_key + "\"\n");
}

TEST(CurveCertificate, IsReadBackWhateverItsName) {
  for (const std::string& name :
       {std::string(), std::string("a_b,c;d'e\"f\ng\\h\xC3\xA9"), std::string(1000, 'x'),
        std::string("\"\ncurve\n"), std::string(1, '\0')}) {
    const CurveKeys keys = generate_curve_keys();
    const auto parsed = parse_curve_certificate(curve_certificate(keys, name));
    ASSERT_TRUE(parsed) << parsed.error().message;
    EXPECT_EQ(*parsed, keys);
  }
  EXPECT_NE(curve_certificate(kPair, "a_b,c").find("name = \"a-b-c\""), std::string::npos);
}

TEST(ParseCurveCertificate, TakesWhatFluxTakes) {
  const std::string pub = "public-key = \"" + kPair.public_key + "\"";
  const std::string sec = "secret-key = \"" + kPair.secret_key + "\"";
  const std::string keygen =
      "#  made elsewhere\n\nmetadata\n    name = \"vm\"\n"
      "    keygen.flux-core-version = \"0.88.0-59-g4a5e79f56\"\n"
      "    keygen.time = \"2026-11-21T05:51:50\"\n    keygen.userid = \"0\"\n"
      "curve\n    " +
      pub + "\n    " + sec + "\n";
  std::string windows;
  for (const char c : keygen) windows += c == '\n' ? "\r\n" : std::string(1, c);
  const std::string texts[] = {
      keygen,
      windows,
      keygen.substr(0, keygen.size() - 1),
      "curve\n\t" + sec + "  \n " + pub + "\t\nmetadata\n name=\"\"\n",
      "metadata\n name   =\"a b\"\ncurve\n  # a comment\n\n   \n " + pub + "\n" + " " + sec,
      "metadata  \ncurve\n " + pub + "\n " + sec + "\nmetadata\n name = \"a\"\n",
      with(keygen, "\"vm\"", "\"" + std::string(235, 'v') + "\""),
  };
  for (const std::string& text : texts) {
    const auto parsed = parse_curve_certificate(text);
    ASSERT_TRUE(parsed) << parsed.error().message << "\n" << text;
    EXPECT_EQ(*parsed, kPair);
  }
}

TEST(ParseCurveCertificate, RefusesWhatFluxRefusesWithoutShowingIt) {
  const std::string good = curve_certificate(kPair, "fs");
  const std::string pub = "    public-key = \"" + kPair.public_key + "\"\n";
  const std::string sec = "    secret-key = \"" + kPair.secret_key + "\"\n";
  const CurveKeys other = generate_curve_keys();
  const std::string expected_section = "expected `metadata`, `curve` or an indented entry";
  const std::string not_quoted = "the value is not in double quotes";
  const std::string bad_value =
      "the value contains a character that Flux does not allow (such as _ , ; ')";
  const struct {
    std::string text, message;
  } cases[] = {
      {"", "there is no `name` in the metadata section"},
      {with(good, "    name = \"fs\"\n", ""), "there is no `name` in the metadata section"},
      {with(good, pub, ""), "there is no `public-key` in the curve section"},
      {with(good, sec, ""), "there is no `secret-key` in the curve section"},
      {with(good, kPair.public_key, other.public_key),
       "the public key does not belong to the secret key"},
      {"\xEF\xBB\xBF" + good, "line 1: " + expected_section},
      {with(good, "    name", "name"), "line 3: " + expected_section},
      {with(good, "metadata", " metadata"), "line 2: expected `key = \"value\"`"},
      {with(good, "metadata", "metadatas"), "line 2: " + expected_section},
      {with(good, "curve\n", "curve # x\n"), "line 4: " + expected_section},
      {with(good, "curve\n", "other\n"), "line 4: " + expected_section},
      {with(good, "metadata\n", ""), "line 2: there is an entry before the first section"},
      {with(good, "public-key", "other-key"),
       "line 5: the curve section has `public-key` and `secret-key` only"},
      {with(good, "    name = \"fs\"\n", "    name = \"fs\"\n    name = \"fs\"\n"),
       "line 4: the key is given twice"},
      {with(good, "\"fs\"", "'fs'"), "line 3: " + not_quoted},
      {with(good, "\"fs\"", "fs"), "line 3: " + not_quoted},
      {with(good, "\"fs\"", "\"fs"), "line 3: " + not_quoted},
      {with(good, "\"fs\"", "\""), "line 3: " + not_quoted},
      {with(good, "\"fs\"", "\"fs\" # x"), "line 3: " + not_quoted},
      {with(good, "\"fs\"", "\"f_s\""), "line 3: " + bad_value},
      {with(good, "\"fs\"", "\"f\"s\""), "line 3: " + bad_value},
      {with(good, "\"fs\"", "\"f\xC3\xA9s\""), "line 3: " + bad_value},
      {with(good, "name", "na_me"), "line 3: a key has letters, digits, dashes and dots only"},
      {with(good, "name =", "="), "line 3: a key has letters, digits, dashes and dots only"},
      {with(good, kPair.secret_key, kPair.secret_key.substr(1)),
       "line 6: the key is not 40 characters of Z85"},
      {with(good, kPair.secret_key, "#####" + kPair.secret_key.substr(5)),
       "line 6: the key is not 40 characters of Z85"},
      {with(good, kPair.secret_key, " " + kPair.secret_key.substr(1)),
       "line 6: the key is not 40 characters of Z85"},
      {with(good, "\"fs\"", "\"" + std::string(250, 'v') + "\""),
       "line 3: the line is longer than 255 bytes"},
  };
  for (const auto& c : cases) {
    const auto parsed = parse_curve_certificate(c.text);
    ASSERT_FALSE(parsed) << c.message << "\n" << c.text;
    EXPECT_EQ(parsed.error().message, c.message) << c.text;
    EXPECT_EQ(parsed.error().kind, ErrorKind::Malformed);
  }
}

}  // namespace
}  // namespace mc::flux
