#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "tests/support/kubectl.h"

// docs/transcript.md: commands as a person types them and what kubectl answered, without what
// differs from one run to the next.
namespace mc::test {

// The widest line that a terminal of old shows.
inline constexpr std::size_t kTerminalWidth = 80;

// Points of time, and the random ends of the names of pods of a Job, by one word for each. The text
// keeps its length.
std::string without_chance(std::string text);

// `kubectl get`'s table with 5s as the AGE, which is its last column.
std::string with_one_age(const std::string& table);

// Of `kubectl describe`: from the status on, with 5s as the age of every event, and the events of
// `reasons` in their order (describe orders those of one second as it likes).
std::string told_by_describe(const std::string& text, const std::vector<std::string>& reasons);

class Transcript {
 public:
  explicit Transcript(const Kubectl& kubectl) : kubectl_(kubectl) {}

  void section(const std::string& title) { text_ += "\n## " + title + "\n"; }
  void say(const std::string& sentence) { text_ += "\n" + sentence + "\n"; }

  // `kubectl WORDS` with these lines as its standard input.
  void apply(const std::string& yaml);
  void run(const std::string& words);
  void get(const std::string& words);
  // Waits until that many events of the MiniCluster were sent; those of the same reason are one.
  void describe(const std::string& name, std::size_t events);

  const std::string& text() const { return text_; }

 private:
  void await_events(const std::string& name, std::size_t count) const;
  std::string answer(const std::string& words, const std::string& input = "") const;
  void add(const std::string& command, const std::string& answer);

  const Kubectl& kubectl_;
  std::string text_;
};

}  // namespace mc::test
