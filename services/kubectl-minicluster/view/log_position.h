#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

// How far a log was read. A number of bytes does not say it: the kubelet rotates logs, and then
// sends the newest file alone. So each line is asked for with the time that the node gave it.
namespace mc::kubectl {

// The time that the line begins with, as the kubelet sends it (`timestamps=true`); "" if it is not
// followed by a space, or is none.
std::string_view leading_time(std::string_view line);

// Whether a line without a time, or its beginning, is the kubelet's own sentence in place of a log
// (cri-client/pkg/logs of Kubernetes). A kubelet that sends times has no other lines without one;
// of another, a line is its own only if it begins as such a sentence does.
enum class Kubelets { No, Maybe, Yes };
Kubelets is_kubelets(std::string_view begun, bool sends_times);

// The last line of a log that was taken. Lines may have the same time: some container runtimes
// give one to all that they read at once. Times of one node have the same form and zone, so they
// sort as texts.
class LogPosition {
 public:
  enum class Line { New, Last, Earlier };

  // What the line with this time is that comes next: one that was not taken yet, the last that
  // was, or one before it. A new one counts as taken.
  Line next(std::string_view time);

  // The log is read again, from since() or an earlier time.
  void read_again();

  // The time of the last line (RFC 3339); "" before the first.
  const std::string& since() const { return time_; }

 private:
  std::string time_, known_time_;
  std::size_t lines_ = 0, known_lines_ = 0;  // with that time; known_: before read_again()
  std::size_t again_ = 0;                    // of known_lines_, that have come again
};

// Takes the times out of a log that is sent with them, byte for byte, and what was already taken
// before it was read again: also a part of a line, and of lines without a time as many bytes as
// there were. The kubelet's own sentences are no part of the log.
class LogTimes {
 public:
  // `keeps_times`: each line of the text begins with its time.
  explicit LogTimes(bool keeps_times = false) : keeps_times_(keeps_times) {}

  // The text of what has come; valid until the next call.
  std::string_view take(std::string_view bytes);
  // The log has ended: returns what no time can follow any more.
  std::string_view end();

  void read_again();
  const std::string& since() const { return position_.since(); }

  // What the kubelet has said instead of sending the log, since the last call.
  std::string take_words() { return std::exchange(words_, {}); }

 private:
  void begin_line(std::string_view& bytes);
  void begin_line_at(std::string_view time);
  void to_end_of_line(std::string_view& bytes);
  void add(std::string_view text);

  const bool keeps_times_;
  LogPosition position_;
  std::string out_;
  std::string begun_;  // of a line, until it is known whether it begins with a time
  std::string words_;
  bool in_line_ = false, has_time_ = false, is_kubelets_ = false;
  std::size_t skip_ = 0;          // bytes of this line that were taken before
  std::size_t of_last_ = 0;       // bytes taken of the last line that has a time
  std::size_t without_time_ = 0;  // bytes taken of all lines that have none
  std::size_t skip_without_ = 0;
};

}  // namespace mc::kubectl
