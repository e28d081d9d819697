#include "common/flux/curve.h"
#include "tests/fuzz/targets.h"

namespace mc::fuzz {
namespace {

constexpr std::string_view kMark = "5eCrEt";

// The text with the mark after each quote and in each line.
std::string marked(std::string_view text) {
  std::string out;
  for (const char c : text) {
    out += c;
    if (c == '"' || c == '\n') out += kMark;
  }
  return out;
}

}  // namespace

void curve_certificate(std::string_view input) {
  if (input.contains(kMark)) return;
  const auto keys = flux::parse_curve_certificate(input);
  if (!keys) {
    const auto wrong = flux::parse_curve_certificate(marked(input));
    require(wrong || !wrong.error().message.contains(kMark), "an error shows nothing of the text");
    return;
  }
  require(keys->public_key.size() == 40 && keys->secret_key.size() == 40, "keys are in Z85");
  const std::string written = flux::curve_certificate(*keys, input);
  const auto again = flux::parse_curve_certificate(written);
  require(again && *again == *keys, "what is written is read as it was, under any name");
}

}  // namespace mc::fuzz
