#include "common/render/exit_codes.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <sstream>
#include <string>

#include "tests/support/folders.h"

namespace mc::docs {
namespace {

using test::text_of;
using Codes = std::set<std::int64_t>;

// The first cells of the table's rows that are one number.
Codes codes_of_the_page() {
  Codes out;
  bool inside = false;
  for (const std::string& line : test::lines_of(text_of("docs/pods.md"))) {
    if (line.starts_with("## ")) inside = line == "## Exit codes";
    std::int64_t code = 0;
    char begin = 0, end = 0;
    if (inside && std::istringstream(line) >> begin >> code >> end && begin == '|' && end == '|') {
      out.insert(code);
    }
  }
  return out;
}

TEST(ExitCodes, ThePageHasARowForEach) {
  Codes ours = {render::kKilled};
  for (const render::ExitCode& each : render::kExitCodes) ours.insert(each.code);
  EXPECT_EQ(codes_of_the_page(), ours);
}

}  // namespace
}  // namespace mc::docs
