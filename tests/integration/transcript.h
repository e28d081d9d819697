#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "tests/support/kubectl.h"

// docs/transcript.md: commands as a user types them and kubectl's output, without what differs
// between runs.
namespace mc::test {

// The width of a classic terminal.
inline constexpr std::size_t kTerminalWidth = 80;

// Replaces timestamps and the random suffixes of a Job's pod names with fixed text of the same
// length.
std::string without_chance(std::string text);

// A table of `kubectl get` with 5s in the last column, AGE.
std::string with_one_age(const std::string& table);

// The output of `kubectl describe` from the status on, with 5s as the age of every event, and the
// events of `reasons` in that order (describe has no fixed order for events of the same second).
std::string told_by_describe(const std::string& text, const std::vector<std::string>& reasons);

class Transcript {
 public:
  explicit Transcript(const Kubectl& kubectl) : kubectl_(kubectl) {}

  void section(const std::string& title) { text_ += "\n## " + title + "\n"; }
  void say(const std::string& sentence) { text_ += "\n" + sentence + "\n"; }

  // `kubectl apply -f -` with `yaml` as its standard input.
  void apply(const std::string& yaml);
  void run(const std::string& words);
  void get(const std::string& words);
  // Waits until the MiniCluster has that many events; those with the same reason count as one.
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
