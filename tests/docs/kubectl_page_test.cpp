#include <gtest/gtest.h>

#include <CLI/Version.hpp>
#include <string>
#include <vector>

#include "common/base/text.h"
#include "services/kubectl-minicluster/app/options.h"
#include "tests/support/folders.h"
#include "tests/support/golden.h"

// docs/kubectl-minicluster.md has the help of every verb that the program has. What the verbs print
// is in kubectl-transcript.md, which the stories KubectlPage.* write.
namespace mc::docs {
namespace {

using test::text_of;

std::string help_of(const std::vector<std::string>& words) {
  std::vector<const char*> arguments = {"kubectl-minicluster"};
  for (const std::string& word : words) arguments.push_back(word.c_str());
  arguments.push_back("--help");
  const auto options = kubectl::parse_options(static_cast<int>(arguments.size()), arguments.data());
  EXPECT_FALSE(options);
  return options ? "" : options.error().text;
}

struct HelpOfVerb {
  std::string name, first_sentence;
};

// What the help lists below `Subcommands:`.
std::vector<HelpOfVerb> verbs_of_the_program() {
  std::vector<HelpOfVerb> out;
  bool inside = false;
  for (const std::string& line : test::lines_of(help_of({}))) {
    if (line == "Subcommands:") inside = true;
    if (!inside || !line.starts_with("  ")) continue;
    if (line[2] != ' ') {
      const std::size_t end = line.find(' ', 2);
      const std::size_t words = end == line.npos ? line.npos : line.find_first_not_of(' ', end);
      out.push_back({line.substr(2, end - 2), words == line.npos ? "" : line.substr(words)});
    } else if (!out.empty()) {
      out.back().first_sentence += " " + std::string(trimmed(line));
    }
  }
  for (HelpOfVerb& verb : out) {
    verb.first_sentence = verb.first_sentence.substr(0, verb.first_sentence.find(". "));
    while (verb.first_sentence.ends_with('.')) verb.first_sentence.pop_back();
  }
  return out;
}

std::string in_a_block(const std::string& text) {
  return "```\n" + std::string(trimmed(text, "\n")) + "\n```\n";
}

std::string table_of_verbs(const std::vector<HelpOfVerb>& verbs) {
  std::string out = "| Verb | What it does |\n| --- | --- |\n";
  for (const HelpOfVerb& verb : verbs) {
    out += "| [`" + verb.name + "`](#" + verb.name + ") | " + verb.first_sentence + ". |\n";
  }
  return out;
}

std::string sections_of(const std::vector<HelpOfVerb>& verbs) {
  std::string out;
  for (const HelpOfVerb& verb : verbs) {
    out += "\n### " + verb.name + "\n\n" + in_a_block(help_of({verb.name}));
  }
  return out;
}

// kubectl-page.md with what the program says in place of `{{NAME}}`.
std::string kubectl_page() {
  const std::vector<HelpOfVerb> verbs = verbs_of_the_program();
  std::string page = text_of("tests/docs/kubectl-page.md");
  for (const auto& [name, text] : std::vector<std::pair<std::string, std::string>>{
           {"{{VERBS}}\n", table_of_verbs(verbs)},
           {"{{HELP}}\n", in_a_block(help_of({}))},
           {"{{HELP OF VERBS}}\n", sections_of(verbs)},
           {"{{TRANSCRIPT}}\n", text_of("tests/docs/kubectl-transcript.md")}}) {
    EXPECT_EQ(test::count(page, name), 1) << name;
    page = test::replaced(std::move(page), name, text);
  }
  return page;
}

TEST(KubectlPage, IsCurrent) {
  // Newer ones lay out the help in another way.
  if (CLI11_VERSION_MAJOR != 2 || CLI11_VERSION_MINOR != 1) {
    GTEST_SKIP() << "the page has the help of CLI11 2.1, Debian 12's";
  }
  test::expect_golden("docs/kubectl-minicluster.md", kubectl_page(),
                      "not what the program prints; `make docs` writes it");
}

TEST(KubectlPage, EveryVerbHasASentence) {
  const std::vector<HelpOfVerb> verbs = verbs_of_the_program();
  EXPECT_GE(verbs.size(), 6U);
  for (const HelpOfVerb& verb : verbs) EXPECT_GT(verb.first_sentence.size(), 10U) << verb.name;
}

}  // namespace
}  // namespace mc::docs
