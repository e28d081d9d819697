#include "tests/integration/transcript.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <sstream>
#include <string_view>

#include "tests/support/eventually.h"
#include "tests/support/folders.h"

namespace mc::test {
namespace {

constexpr std::string_view kAge = "5s";
// kubectl does not order events of the same second; this is the order that readers expect.
const std::vector<std::string> kOrder = {"Created",          "ImagePullFailed", "Unschedulable",
                                         "QuorumReached",    "Suspended",       "Resumed",
                                         "CommandSucceeded", "CommandFailed"};

// The length of the prefix of `text` that matches `shape`, where 0 stands for a digit, x for a
// lowercase letter or a digit, and any other character for itself; 0 if it does not match.
std::size_t shaped(std::string_view text, std::string_view shape) {
  if (text.size() < shape.size()) return 0;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const bool is_digit = text[i] >= '0' && text[i] <= '9';
    const bool is_lower = text[i] >= 'a' && text[i] <= 'z';
    const bool fits = shape[i] == '0'   ? is_digit
                      : shape[i] == 'x' ? is_digit || is_lower
                                        : text[i] == shape[i];
    if (!fits) return 0;
  }
  return shape.size();
}

// The lines, without trailing spaces.
std::vector<std::string> trimmed_lines_of(const std::string& text) {
  std::vector<std::string> out = lines_of(text);
  for (std::string& line : out) line.erase(line.find_last_not_of(' ') + 1);
  return out;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string out;
  for (const std::string& line : lines) out += line + "\n";
  return out;
}

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (word.size() >= 2 && word.front() == '\'') word = word.substr(1, word.size() - 2);
    out.push_back(word);
  }
  return out;
}

using Cells = std::vector<std::string>;

// The cells, separated by two or more spaces.
Cells cells_of(std::string_view line) {
  Cells out;
  while (true) {
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    if (line.empty()) return out;
    const std::size_t end = std::min(line.find("  "), line.size());
    out.emplace_back(line.substr(0, end));
    line.remove_prefix(end);
  }
}

// `12s`, or `12s (x3 over 4m)`.
std::string with_one_age_each(const std::string& age) {
  const std::size_t count = age.find(" (x");
  if (count == age.npos) return std::string(kAge);
  const std::size_t end = age.find(' ', count + 1);
  return std::string(kAge) + age.substr(count, end - count) + " over " + std::string(kAge) + ")";
}

std::vector<std::string> aligned(const std::vector<Cells>& rows) {
  std::vector<std::size_t> widths;
  for (const Cells& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::vector<std::string> out;
  for (const Cells& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += "  " + row[i];
      if (i + 1 < row.size()) line.append(widths[i] - row[i].size(), ' ');
    }
    out.push_back(std::move(line));
  }
  return out;
}

}  // namespace

std::string without_chance(std::string text) {
  constexpr std::string_view kTime = "2026-01-01T00:00:00Z", kPod = "-0-x7k2p",
                             kUid = "3f1c6a2e-8d47-4b0a-9c55-0e7b21d4f683";
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::string_view rest = std::string_view(text).substr(at);
    if (const std::size_t size = shaped(rest, "0000-00-00T00:00:00Z"); size > 0) {
      text.replace(at, size, kTime);
    } else if (shaped(rest, "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx") > 0) {
      text.replace(at, kUid.size(), kUid);
      at += kUid.size() - 1;
    } else if (shaped(rest, "-0-xxxxx") > 0) {
      text.replace(at + 3, 5, kPod.substr(3));
    }
  }
  return text;
}

std::string with_one_age(const std::string& table) {
  std::vector<std::string> lines = trimmed_lines_of(table);
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const std::size_t last = lines[i].find_last_of(' ') + 1;
    lines[i].replace(last, lines[i].size() - last, kAge);
  }
  return joined(lines);
}

std::string told_by_describe(const std::string& text, const std::vector<std::string>& reasons) {
  std::vector<std::string> lines = trimmed_lines_of(text);
  lines.erase(lines.begin(), std::ranges::find(lines, "Status:"));
  const auto events = std::ranges::find_if(
      lines, [](const std::string& line) { return line.starts_with("  ----"); });
  if (events == lines.end()) return joined(lines);
  std::vector<Cells> table = {cells_of(*(events - 1)), cells_of(*events)};
  for (const std::string& reason : reasons) {
    for (auto row = events + 1; row != lines.end(); ++row) {
      Cells cells = cells_of(*row);
      if (cells.size() < 5 || cells[1] != reason) continue;
      cells[2] = with_one_age_each(cells[2]);
      table.push_back(std::move(cells));
    }
  }
  lines.erase(events - 1, lines.end());
  std::ranges::move(aligned(table), std::back_inserter(lines));
  return joined(lines);
}

std::string Transcript::answer(const std::string& words, const std::string& input) const {
  const Outcome outcome = kubectl_(words_of(words), input);
  std::string text = replaced(outcome.out + outcome.err, kubectl_.namespace_name(), "default");
  return joined(trimmed_lines_of(without_chance(std::move(text))));
}

void Transcript::add(const std::string& command, const std::string& answer) {
  text_ += "\n```console\n$ " + command + "\n" + answer + "```\n";
}

void Transcript::apply(const std::string& yaml) {
  add("kubectl apply -f - <<END\n" + yaml + "END", answer("apply -f -", yaml));
}

void Transcript::run(const std::string& words) { add("kubectl " + words, answer(words)); }

void Transcript::get(const std::string& words) {
  const std::string table = with_one_age(answer("get " + words));
  for (const std::string& line : trimmed_lines_of(table)) {
    EXPECT_LE(line.size(), kTerminalWidth) << line;
  }
  add("kubectl get " + words, table);
}

void Transcript::await_events(const std::string& name, std::size_t count) const {
  std::size_t seen = 0;
  EXPECT_TRUE(eventually([&] {
    const json list = kubectl_.get({"events", "--field-selector",
                                    "involvedObject.kind=MiniCluster,involvedObject.name=" + name});
    seen = 0;
    for (const json& event : list["items"]) seen += event.value("count", std::size_t{1});
    return seen >= count;
  })) << name
      << " has " << seen << " events, not " << count;
}

void Transcript::describe(const std::string& name, std::size_t events) {
  await_events(name, events);
  add("kubectl describe mc " + name + " | sed -n '/^Status:/,$p'",
      told_by_describe(answer("describe mc " + name), kOrder));
}

}  // namespace mc::test
