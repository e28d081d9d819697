#include "tests/support/messages.h"

#include <gtest/gtest.h>

#include <cctype>
#include <map>
#include <mutex>
#include <regex>
#include <utility>

#include "tests/support/folders.h"
#include "tests/support/golden.h"

namespace mc::test {
namespace {

std::mutex mutex;  // tests collect in several threads

// By key.
using Part = std::map<std::string, std::string, std::less<>>;

std::map<std::string, Part, std::less<>>& parts() {
  static std::map<std::string, Part, std::less<>> all;
  return all;
}

// Without numbers and quoted values.
std::string shape_of(std::string_view message) {
  std::string out;
  bool quoted = false;
  for (std::size_t i = 0; i < message.size(); ++i) {
    const char c = message[i];
    if (c == '"' && (i == 0 || message[i - 1] != '\\')) quoted = !quoted;
    const bool digit = std::isdigit(static_cast<unsigned char>(c)) != 0;
    if (quoted || (digit && out.ends_with('0'))) continue;
    out += digit ? '0' : c;
  }
  return out;
}

std::string without_temporary_folders(const std::string& message) {
  static const std::regex kTemporary("/tmp/minicluster-[A-Za-z0-9]+/");
  return message.contains("/tmp/minicluster-") ? std::regex_replace(message, kTemporary, "")
                                               : message;
}

// One message in one line; a very long one ends with `...`.
std::string line_of(const std::string& message) {
  constexpr std::size_t kMost = 600;
  const std::string line = replaced(message, "\n", "\\n");
  return line.size() <= kMost ? line : line.substr(0, kMost) + "...";
}

std::string block_of(const Part& part) {
  std::string out = "```\n";
  for (const auto& [key, message] : part) out += line_of(message) + "\n";
  return out + "```\n";
}

// The page with `block` as the part `heading`, which begins after its heading's sentence.
std::string with_part(const std::string& page, const std::string& heading,
                      const std::string& block) {
  const std::size_t start = page.find("\n## " + heading + "\n");
  if (start == std::string::npos) return page;
  const std::size_t end = page.find("\n## ", start + 1);
  const std::size_t open = page.find("```\n", start);
  return page.substr(0, open) + block + (end == std::string::npos ? "" : page.substr(end));
}

class MessagesPage : public ::testing::Environment {
 public:
  void TearDown() override {
    if (parts().empty() || !is_whole_run()) return;
    const std::string before = text_of(kPage);
    std::string after = before;
    for (const auto& [heading, part] : parts()) {
      EXPECT_NE(before.find("\n## " + heading + "\n"), std::string::npos)
          << kPage << " has no part " << heading;
      after = with_part(after, heading, block_of(part));
    }
    expect_golden(kPage, after);
  }

 private:
  static constexpr const char* kPage = "docs/messages.md";

  static bool is_whole_run() {
    return GTEST_FLAG_GET(filter) == "*" &&
           ::testing::UnitTest::GetInstance()->failed_test_count() == 0;
  }
};

[[maybe_unused]] const ::testing::Environment* const kMessagesPage =
    ::testing::AddGlobalTestEnvironment(new MessagesPage());

}  // namespace

void collect_message(std::string_view heading, const std::string& said, std::string_view key) {
  if (!said.contains(' ')) return;  // a test's own
  const std::string message = without_temporary_folders(said);
  const std::string shape =
      shape_of(key.empty() ? message : without_temporary_folders(std::string(key)));
  const std::scoped_lock lock(mutex);
  const auto [at, added] = parts()[std::string(heading)].try_emplace(shape, message);
  const auto rank = [](const std::string& text) { return std::pair(text.size(), text); };
  if (!added && rank(message) < rank(at->second)) at->second = message;
}

void collect_errors(std::string_view heading, const std::string& text) {
  for (const std::string& line : lines_of(text)) {
    if (line.starts_with("error: ") || line.starts_with("Warning: "))
      collect_message(heading, line);
  }
}

}  // namespace mc::test
