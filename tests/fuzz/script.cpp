#include "services/kubectl-minicluster/view/script.h"

#include <algorithm>
#include <sstream>

#include "tests/fuzz/targets.h"

namespace mc::fuzz {
namespace {

void check_directives(std::string_view text) {
  const auto directives = kubectl::directives_of(text);
  const auto lines = static_cast<std::size_t>(std::ranges::count(text, '\n')) + 1;
  if (!directives) {
    require(directives.error().line >= 1 && directives.error().line <= lines, "a line of the text");
    return;
  }
  std::size_t before = 0;
  for (const auto& [line, words] : *directives) {
    require(line > before && line <= lines, "lines in their order");
    before = line;
    for (const std::string& word : words)
      require(text.size() >= word.size() && !word.contains('\n'), "a part of its line");
  }
}

// Whatever the text has, it is whole in what runs, and ends where its here-document ends.
void check_runnable(std::string_view text) {
  const kubectl::Script script{.file = "job.sh", .text = std::string(text)};
  const std::string runs = kubectl::runnable(script, {});
  require(runs.contains(text), "the text is whole");
  if (runs == text) return;
  constexpr std::string_view kBegin = " <<'";
  const std::size_t begin = runs.find(kBegin) + kBegin.size();
  const std::string end = runs.substr(begin, runs.find('\'', begin) - begin);
  std::istringstream all(runs);
  int ends = 0;
  for (std::string line; std::getline(all, line);) ends += line == end ? 1 : 0;
  require(ends == 1, "one end of the here-document");
}

}  // namespace

void script(std::string_view input) {
  check_directives(input);
  if (kubectl::why_no_script(input).empty()) check_runnable(input);
  (void)kubectl::foreign_launch_in(input);
}

}  // namespace mc::fuzz
