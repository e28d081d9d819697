#include "common/base/similar.h"

#include <algorithm>
#include <utility>

#include "common/base/text.h"

namespace mc {
namespace {

constexpr std::size_t kLongest = 64;

// The number of letters to change, add, remove or swap with the next one (the optimal string
// alignment distance).
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before, last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j < last.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    before = std::exchange(last, row);
  }
  return last[b.size()];
}

}  // namespace

std::string most_similar(std::string_view written, const std::vector<std::string>& known) {
  std::string best;
  if (written.size() > kLongest) return best;
  const std::string name = lower_case(std::string(written));
  std::size_t least = name.size() <= 3 ? 2 : std::max<std::size_t>(2, name.size() / 3) + 1;
  for (const std::string& one : known) {
    if (const std::size_t d = distance(name, lower_case(one)); d < least) {
      least = d;
      best = one;
    }
  }
  return best;
}

}  // namespace mc
