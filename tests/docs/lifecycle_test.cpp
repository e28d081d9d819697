#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/api/model/reasons.h"
#include "common/api/model/remedies.h"
#include "common/api/schema/schema.h"
#include "common/base/text.h"
#include "tests/docs/markdown.h"
#include "tests/support/folders.h"
#include "tests/support/golden.h"

// docs/lifecycle.md and docs/troubleshooting.md have the phases, and the tables of
// common/api/model/reasons.h and remedies.h.
namespace mc::docs {
namespace {

using test::text_of;
using ::testing::ContainerEq;

using Words = std::set<std::string>;
using Lines = std::vector<std::string>;

Words phases_of_the_picture() {
  Words out;
  for (const std::string& line : test::lines_of(text_of("docs/pictures/lifecycle.svg"))) {
    if (line.find("class=\"phase\"") == line.npos) continue;
    const std::size_t begin = line.find('>') + 1;
    out.insert(line.substr(begin, line.find('<', begin) - begin));
  }
  return out;
}

TEST(Lifecycle, ThePictureShowsEveryPhaseAndNoOther) {
  const json& status = api::schema().at("properties").at("status").at("properties");
  const Words phases = status.at("phase").at("enum").get<Words>();
  EXPECT_THAT(phases_of_the_picture(), ContainerEq(phases));
  EXPECT_THAT(Words(api::kPhases.begin(), api::kPhases.end()), ContainerEq(phases));
}

TEST(Reasons, OfOneTypeOfConditionAreRowsOfTheirOwn) {
  std::set<std::pair<std::string_view, std::string_view>> seen;
  for (const api::ReasonRow& row : api::kReasons) {
    EXPECT_TRUE(seen.emplace(row.type, row.reason).second) << row.type << " " << row.reason;
  }
}

TEST(Reasons, ThatAreNoGoodNewsHaveARemedy) {
  const std::set<std::string_view> fine = {
      api::kReasonCommandSucceeded, api::kReasonCreated,    api::kReasonFinished,
      api::kReasonNotAccepted,      api::kReasonNotLimited, api::kReasonQuorumReached,
      api::kReasonReserved,         api::kReasonResumed,    api::kReasonScheduled,
      api::kReasonStarting,         api::kReasonValid};
  for (const api::ReasonRow& row : api::kReasons) {
    if (row.type == api::kInForce) continue;
    const bool has_one = std::ranges::any_of(api::remedies(), [&](const api::Remedy& remedy) {
      return remedy.reason == row.reason && remedy.message.empty();
    });
    EXPECT_NE(has_one, fine.contains(row.reason)) << row.reason;
  }
}

TEST(Remedies, NamePhasesThatThereAre) {
  for (const auto all : {api::remedies(), api::remedies_of_kueue()}) {
    for (const api::Remedy& remedy : all) {
      std::string left(remedy.phases);
      for (const char* const phase : api::kPhases) {
        if (const auto at = left.find(phase); at != left.npos)
          left.erase(at, std::string_view(phase).size());
      }
      EXPECT_TRUE(left.empty() || left == " or ") << remedy.phases;
    }
  }
}

// `[queueing systems](#queueing-systems)` on its own page, `[pods.md](pods.md#exit-codes)` on
// others.
std::string link_to(const std::string& linked, const std::string& anchor, const std::string& page) {
  if (linked != page) return "[" + linked + "](" + linked + anchor + ")";
  std::string words = anchor.substr(1);
  std::ranges::replace(words, '-', ' ');
  return "[" + words + "](" + anchor + ")";
}

// The Markdown of a text of the tables on the page docs/PAGE.
std::string markdown(std::string_view text, const std::string& page) {
  static const std::regex kPage(R"(docs/([\w-]+\.md)(#[\w-]+)?)");
  static const std::regex kExample(R"(\bexamples/[\w.-]+\.yaml)");
  const std::string all(text);
  std::string out;
  auto done = all.begin();
  for (std::sregex_iterator at(all.begin(), all.end(), kPage), end; at != end; ++at) {
    const auto& match = (*at)[0];
    out.append(done, match.first);
    out += link_to((*at)[1].str(), (*at)[2].str(), page);
    done = match.second;
  }
  out.append(done, all.end());
  return std::regex_replace(out, kExample, "[$&](../$&)");
}

std::string row_of(const Lines& cells) { return "| " + joined(cells, " | ") + " |"; }

Lines conditions() {
  Lines out;
  for (const api::ReasonRow& row : api::kReasons) {
    if (row.type == api::kInForce) continue;
    out.push_back(row_of({std::string(row.type), row.status ? "True" : "False", code(row.reason),
                          markdown(row.meaning, "lifecycle.md")}));
  }
  return out;
}

// The reasons of one type of condition with such an event.
Lines reasons_with(std::string_view type, api::News news) {
  Lines out;
  for (const api::ReasonRow& row : api::kReasons) {
    const bool again = news == api::News::Normal && row.news == api::News::Again;
    if (row.type != type || (row.news != news && !again)) continue;
    out.push_back(code(row.reason) + (again ? " (not as the first reason)" : ""));
  }
  return out;
}

// In the order of the table, without that of FluxSetups.
std::vector<std::string_view> condition_types() {
  std::vector<std::string_view> out;
  for (const api::ReasonRow& row : api::kReasons) {
    if (row.type == api::kInForce || std::ranges::find(out, row.type) != out.end()) continue;
    out.push_back(row.type);
  }
  return out;
}

Lines events() {
  Lines out;
  for (const auto& [news, name] : {std::pair(api::News::Normal, "Normal"),
                                   {api::News::Warning, "Warning"},
                                   {api::News::None, "none"}}) {
    for (const std::string_view type : condition_types()) {
      const Lines reasons = reasons_with(type, news);
      if (!reasons.empty()) out.push_back(row_of({name, std::string(type), joined(reasons, ", ")}));
    }
  }
  return out;
}

// Those that apply whatever the message says, or the others.
Lines remedies(const std::string& page, bool with_message) {
  Lines out;
  for (const api::Remedy& one : api::remedies()) {
    if (one.message.empty() == with_message) continue;
    const std::string cause = markdown(one.cause, page), remedy = markdown(one.remedy, page);
    const std::string phases = one.phases.empty() ? "" : std::string(one.phases) + ", ";
    out.push_back(with_message
                      ? row_of({code(one.reason) + ": " + code(one.message), cause + ".", remedy})
                      : row_of({cause, phases + code(one.reason), remedy}));
  }
  return out;
}

Lines remedies_of_kueue() {
  Lines out;
  for (const api::Remedy& one : api::remedies_of_kueue()) {
    out.push_back(
        "  " + row_of({code(one.reason), code(one.message), markdown(one.remedy, "lifecycle.md")}));
  }
  return out;
}

// The page with these rows in the table that has this line of headings, and no others.
std::string with_table(const std::string& page, const std::string& headings, const Lines& rows) {
  std::string out;
  int below = -1;  // lines below the headings of the table
  bool found = false;
  for (const std::string& line : test::lines_of(page)) {
    below = trimmed(line) == headings                      ? 0
            : below < 0 || !trimmed(line).starts_with('|') ? -1
                                                           : below + 1;
    if (below > 1) continue;
    out += line + "\n";
    if (below != 1) continue;
    found = true;
    for (const std::string& row : rows) out += row + "\n";
  }
  EXPECT_TRUE(found) << headings;
  return out;
}

void expect_table(const std::string& file, const std::string& headings, const Lines& rows) {
  test::expect_golden(
      file, with_table(text_of(file), headings, rows),
      "table \"" + headings + "\": not what common/api/model says; `make docs` writes it");
}

TEST(ReasonTables, IsCurrent) {
  expect_table("docs/lifecycle.md", "| Type | Status | Reason | What it means |", conditions());
  expect_table("docs/lifecycle.md", "| Type | Condition | Reasons |", events());
  expect_table("docs/lifecycle.md", "| WHY | The message begins | What to do |",
               remedies_of_kueue());
  expect_table("docs/lifecycle.md", "| What happened | Phase, reason | What to do |",
               remedies("lifecycle.md", false));
  expect_table("docs/troubleshooting.md", "| Reason and message | Why | What to do |",
               remedies("troubleshooting.md", true));
}

TEST(ReasonTables, HaveTheRowsThatAreGivenAndNoOthers) {
  const std::string page = "a\n  | A | B |\n  | --- | --- |\n  | 1 | 2 |\nb\n| 3 | 4 |\n";
  EXPECT_EQ(with_table(page, "| A | B |", {"  | 5 | 6 |", "  | 7 | 8 |"}),
            "a\n  | A | B |\n  | --- | --- |\n  | 5 | 6 |\n  | 7 | 8 |\nb\n| 3 | 4 |\n");
}

TEST(ReasonTables, LinkPagesAndExamples) {
  EXPECT_EQ(markdown("See docs/pods.md#exit-codes and docs/queue.md.", "lifecycle.md"),
            "See [pods.md](pods.md#exit-codes) and [queue.md](queue.md).");
  EXPECT_EQ(markdown("docs/lifecycle.md#the-end", "lifecycle.md"), "[the end](#the-end)");
  EXPECT_EQ(markdown("examples/a.yaml", "b.md"), "[examples/a.yaml](../examples/a.yaml)");
}

}  // namespace
}  // namespace mc::docs
