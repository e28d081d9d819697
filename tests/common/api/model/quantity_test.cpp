#include "common/api/model/quantity.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <random>
#include <regex>
#include <string>
#include <utility>
#include <vector>

namespace mc::api {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
const std::string kMostText = "9223372036854775807";

std::string read_text(std::string_view text) {
  const auto quantity = Quantity::parse(text);
  return quantity ? quantity->str() : "nothing";
}

Quantity of(std::string_view text) { return Quantity::parse(text).value(); }

struct Row {
  std::string text, exact;
};

void expect_exact(const std::vector<Row>& rows) {
  for (const auto& [text, exact] : rows) EXPECT_EQ(read_text(text), exact) << text.substr(0, 60);
}

TEST(Quantity, IsExactlyWhatItsTextSays) {
  expect_exact({{"0", "0"},
                {"-0", "0"},
                {"1", "1"},
                {"+1.5", "1500m"},
                {"-1.5", "-1500m"},
                {".5", "500m"},
                {"5.", "5"},
                {"000.500", "500m"},
                {"0.1", "100m"},
                {"1500m", "1500m"},
                {"2000m", "2"},
                {"1u", "1u"},
                {"1500u", "1500u"},
                {"1n", "1n"},
                {"5000000u", "5"},
                {"2k", "2000"},
                {"1.5M", "1500000"},
                {"1G", "1000000000"},
                {"1T", "1000000000000"},
                {"1P", "1000000000000000"},
                {"1E", "1000000000000000000"},
                {"1Ki", "1024"},
                {"0.5Ki", "512"},
                {"0.1Ki", "102400m"},
                {"1048576Ki", "1073741824"},
                {"1.5Mi", "1572864"},
                {"2Gi", "2147483648"},
                {"1Ti", "1099511627776"},
                {"1Pi", "1125899906842624"},
                {"1Ei", "1152921504606846976"},
                {"7.9Ei", "9108079886394091110400m"},
                {"1e3", "1000"},
                {"1E3", "1000"},
                {"1e+2", "100"},
                {"2e-3", "2m"},
                {"1.5e1", "15"},
                {"1000000000000000000e-18", "1"}});
}

TEST(Quantity, AFractionOfABillionthIsRoundedAwayFromZero) {
  expect_exact({{"0.1n", "1n"},
                {"-0.1n", "-1n"},
                {"1.5n", "2n"},
                {"1e-10", "1n"},
                {"1e-999999999999999999999", "1n"},
                {"0e-10", "0"},
                {"0.0", "0"},
                {"1.0000000001", "1000000001n"},
                {"-1.0000000001", "-1000000001n"},
                {"0.00000000001Ki", "11n"},
                {"0.9999999999", "1"}});
}

TEST(Quantity, IsCappedAtTheLargestInteger) {
  expect_exact({{kMostText, kMostText},
                {"9223372036854775808", kMostText},
                {"9223372036854775807.5", kMostText},
                {"-9223372036854775808", "-" + kMostText},
                {"8Ei", kMostText},
                {"-8Ei", "-" + kMostText},
                {"7.9999999999999999999999Ei", kMostText},
                {"10E", kMostText},
                {"1e400", kMostText},
                {"-1e999999999", "-" + kMostText},
                {"1e99999999999999999999999999999", kMostText},
                {"0e99999999999999999999999999999", "0"}});
}

TEST(Quantity, MayHaveAnyNumberOfDigits) {
  constexpr std::size_t kMany = 10'000;
  const std::string nines(kMany, '9'), zeros(kMany, '0');
  expect_exact({{nines, kMostText},
                {"1e" + nines, kMostText},
                {"1e-" + nines, "1n"},
                {zeros + "1", "1"},
                {"1" + zeros + "e-10000", "1"},
                {"0." + zeros + "1", "1n"},
                {"0." + zeros + "1e10001", "1"},
                {"0." + zeros + "1Ei", "1n"},
                {"1." + zeros + "Ei", "1152921504606846976"},
                {"0." + nines, "1"},
                {"0." + nines + "Ki", "1024"},
                {"0.5" + zeros + "Ki", "512"}});
}

// Every text of up to four characters that quantities have, and some more.
TEST(Quantity, AcceptsTheGrammarOfKubernetesAndNothingElse) {
  const std::regex grammar(R"([+-]?([0-9]+\.?[0-9]*|\.[0-9]+))"
                           R"(([numkMGTPE]|[KMGTPE]i|[eE][+-]?[0-9]+)?)");
  const std::string characters = "+-.05eEmki ";
  std::vector<std::string> texts = {"1.5Gi", "1e1.5", "1e1k",  "0x1p4",
                                    "1GB",   "1Kim",  "1e+-1", "inf"};
  std::vector<std::string> last = {""};
  for (int length = 1; length <= 4; ++length) {
    std::vector<std::string> longer;
    for (const std::string& text : last) {
      for (const char c : characters) longer.push_back(text + c);
    }
    texts.insert(texts.end(), longer.begin(), longer.end());
    last = std::move(longer);
  }
  texts.emplace_back();
  for (const std::string& text : texts) {
    EXPECT_EQ(Quantity::parse(text).has_value(), std::regex_match(text, grammar)) << text;
  }
}

TEST(Quantity, ANumberInAnObjectCountsAsItsText) {
  const struct {
    const char* value;
    std::string exact;
  } cases[] = {{"0.5", "500m"},
               {"0.1", "100m"},
               {"1e3", "1000"},
               {"1e300", kMostText},
               {"1e-300", "1n"},
               {"3", "3"},
               {"-1", "-1"},
               {"18446744073709551615", kMostText},
               {"\"1.5Gi\"", "1610612736"},
               {"\"1 Gi\"", "nothing"},
               {"true", "nothing"},
               {"null", "nothing"},
               {"[1]", "nothing"},
               {"{}", "nothing"}};
  for (const auto& c : cases) {
    const auto quantity = Quantity::read(json::parse(c.value));
    EXPECT_EQ(quantity ? quantity->str() : "nothing", c.exact) << c.value;
  }
  EXPECT_FALSE(Quantity::read(json(std::nan("")))) << "YAML has it, a quantity does not";
}

TEST(Quantity, TenTenthsAreOne) {
  Quantity sum;
  for (int i = 0; i < 10; ++i) sum += of("100m");
  EXPECT_EQ(sum, Quantity(1));
  EXPECT_EQ(of("100m") * 10, Quantity(1));
  EXPECT_EQ(Quantity(1) - sum, Quantity());
}

TEST(Quantity, ComparesAcrossUnits) {
  const char* ascending[] = {"-8Ei", "-1", "-1n", "0",  "1n",  "1u",   "999u", "1m", "0.5",
                             "1",    "1k", "1Ki", "1G", "1Gi", "1.5G", "1P",   "1E", "1Ei"};
  for (std::size_t i = 1; i < std::size(ascending); ++i) {
    EXPECT_LT(of(ascending[i - 1]), of(ascending[i])) << ascending[i];
    EXPECT_GT(of(ascending[i]), of(ascending[i - 1])) << ascending[i];
  }
  EXPECT_EQ(of("1"), of("1000m"));
  EXPECT_EQ(of("2k"), of("2e3"));
}

TEST(Quantity, IsWholeOnlyWithoutAFraction) {
  for (const char* whole : {"0", "-2", "1000m", "1.0", "1Gi", "0.5Ki", "1e3"}) {
    EXPECT_TRUE(of(whole).is_whole()) << whole;
  }
  for (const char* fraction : {"1m", "0.5", "-0.5", "1n", "1e-20", "0.1Ki"}) {
    EXPECT_FALSE(of(fraction).is_whole()) << fraction;
  }
}

TEST(Quantity, IsStoredInThousandths) {
  const std::pair<const char*, const char*> cases[] = {
      {"1", "1"},     {"1m", "1m"},       {"1n", "1m"},        {"-1n", "-1m"}, {"0", "0"},
      {"1.5u", "1m"}, {"1999999n", "2m"}, {"0.0010001", "2m"}, {"1.9999", "2"}};
  for (const auto& [text, stored] : cases)
    EXPECT_EQ(of(text).rounded_to_milli(), of(stored)) << text;
}

TEST(Quantity, SumsAndProductsStopAtTheirLimitInsteadOfOverflowing) {
  const Quantity most(kMost), limit = most * kMost;
  EXPECT_GT(limit, most * 1'000'000'000);
  EXPECT_EQ(limit + most, limit);
  EXPECT_EQ(limit * 2, limit);
  Quantity twice = limit;
  twice += twice;
  EXPECT_EQ(twice, limit);
  const Quantity lowest = most * std::numeric_limits<std::int64_t>::min();
  EXPECT_EQ(lowest, limit * -1);
  EXPECT_EQ(lowest - most, lowest);
  EXPECT_EQ(lowest * -3, limit);
  EXPECT_EQ(limit * 0, Quantity());
  EXPECT_EQ(limit.str().substr(0, 1), "1");
  EXPECT_EQ(lowest.str(), "-" + limit.str());
  EXPECT_EQ(most + most - most, most) << "sums may be larger than what is parsed";
}

TEST(Quantity, IsShownToPeopleInTheUnitsOfItsResource) {
  const struct {
    const char *resource, *amount, *text;
  } cases[] = {{"memory", "64Gi", "64Gi"},
               {"memory", "1.5Gi", "1536Mi"},
               {"memory", "1G", "1000000000"},
               {"memory", "1000Ki", "1000Ki"},
               {"memory", "0", "0"},
               {"memory", "-2Ki", "-2Ki"},
               {"memory", "500m", "500m"},
               {"ephemeral-storage", "2Ei", "2Ei"},
               {"hugepages-2Mi", "4096Ki", "4Mi"},
               {"cpu", "1024", "1024"},
               {"cpu", "1.5", "1500m"},
               {"nvidia.com/gpu", "8", "8"}};
  for (const auto& c : cases) {
    EXPECT_EQ(shown(c.resource, of(c.amount)), c.text) << c.resource << " " << c.amount;
  }
}

TEST(Quantity, ANumberBeginsWithoutASign) {
  const std::pair<const char*, std::size_t> cases[] = {
      {"", 0}, {".", 0}, {"x", 0}, {"-1", 0}, {"1", 1}, {"1.", 2}, {".5s", 2}, {"12.5.1", 4}};
  for (const auto& [text, length] : cases) EXPECT_EQ(number_length(text), length) << text;
}

// Quantities of every size and unit.
class Random {
 public:
  std::int64_t below(std::int64_t limit) {
    return std::uniform_int_distribution<std::int64_t>(0, limit - 1)(engine_);
  }
  std::string text() {
    static constexpr const char* kUnits[] = {"n", "u", "m", "", "k", "Ki", "Mi", "Gi"};
    return std::string(below(4) == 0 ? "-" : "") + std::to_string(below(1'000'000'000)) +
           kUnits[below(std::ssize(kUnits))];
  }

 private:
  std::mt19937_64 engine_{1};
};

TEST(Quantity, IsReadAsItWasWritten) {
  Random random;
  for (int i = 0; i < 10'000; ++i) {
    const std::string text = random.text();
    const Quantity quantity = of(text);
    EXPECT_EQ(of(quantity.str()), quantity) << text;
    EXPECT_EQ(of(shown("memory", quantity)), quantity) << text;
  }
}

TEST(Quantity, WhatIsAddedAndTakenAwayEqualsARecount) {
  Random random;
  std::vector<Quantity> held;
  Quantity running;
  for (int i = 0; i < 10'000; ++i) {
    if (held.empty() || random.below(held.size() < 50 ? 3 : 2) != 0) {
      held.push_back(of(random.text()) * (1 + random.below(1000)));
      running += held.back();
    } else {
      std::swap(held[static_cast<std::size_t>(random.below(std::ssize(held)))], held.back());
      running -= held.back();
      held.pop_back();
    }
    if (held.size() > 100) {
      running -= held.front();
      held.erase(held.begin());
    }
    Quantity counted;
    for (const Quantity& one : held) counted += one;
    ASSERT_EQ(running, counted) << i;
  }
}

TEST(Quantity, OrderAndSumsAgreeWithNumbers) {
  Random random;
  const std::pair<const char*, std::int64_t> units[] = {
      {"m", 1}, {"", 1000}, {"k", 1'000'000}, {"Ki", 1'024'000}};
  const auto one = [&] {
    const auto& [unit, milli] = units[random.below(std::ssize(units))];
    const std::int64_t count = random.below(2'000'001) - 1'000'000;
    return std::pair(of(std::to_string(count) + unit), count * milli);
  };
  for (int i = 0; i < 10'000; ++i) {
    const auto [a, number_a] = one();
    const auto [b, number_b] = one();
    EXPECT_EQ(a <=> b, number_a <=> number_b);
    EXPECT_EQ(a + b, of(std::to_string(number_a + number_b) + "m"));
    EXPECT_EQ(a - b, of(std::to_string(number_a - number_b) + "m"));
    EXPECT_EQ(a * 7, of(std::to_string(number_a * 7) + "m"));
  }
}

}  // namespace
}  // namespace mc::api
