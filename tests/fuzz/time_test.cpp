#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "tests/fuzz/targets.h"
#include "tests/support/cpu_time.h"

// No parser takes quadratic time: each input of the corpus is repeated to a text of 10 KB and to
// one of 8 times that size.
namespace mc::fuzz {
namespace {

std::string repeated(const std::string& part, std::size_t size) {
  std::string out;
  while (out.size() < size) out += part;
  return out;
}

double seconds(FuzzTarget target, const std::string& input) {
  return test::cpu_seconds([&] { target(input); });
}

class Time : public ::testing::TestWithParam<const char*> {};

TEST_P(Time, GrowsInProportionToTheInput) {
  constexpr std::size_t kSmall = 10'000;
  const FuzzTarget target = all_targets().at(GetParam());
  for (const std::filesystem::path& path : inputs_of(GetParam())) {
    if (path.extension() == ".yaml") continue;  // from examples/: many, and none is hostile
    std::ifstream file(path, std::ios::binary);
    const std::string part(std::istreambuf_iterator<char>(file), {});
    if (part.empty() || part.size() > kSmall) continue;
    const double small = seconds(target, repeated(part, kSmall));
    const double large = seconds(target, repeated(part, 8 * kSmall));
    // Linear time takes 8 times as long, quadratic time 64 times. The constant allows for noise in
    // very short times.
    EXPECT_LT(large, 24 * small + 0.002) << path;
  }
}

INSTANTIATE_TEST_SUITE_P(Of, Time,
                         ::testing::Values("broker_config", "curve_certificate", "duration",
                                           "hostlist", "http_request", "kubeconfig", "manifest",
                                           "quantity", "shell_words", "watch_line"));

}  // namespace
}  // namespace mc::fuzz
