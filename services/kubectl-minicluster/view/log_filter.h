#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mc::kubectl {

// Takes the operator's own lines out of a pod's log: those that begin with `minicluster:` are
// dropped if that is wanted, and those with `minicluster: error:` are errors (docs/pods.md). What
// follows api::kStderrLabel is an error, too: the command's.
// Everything else stays byte for byte, also bytes that are no text, and is passed on at once; only
// the beginning of a line that may still become one of ours waits for its next bytes. Allocates
// nothing for a line.
class LogFilter {
 public:
  // Where a part of the log belongs.
  struct Part {
    std::string_view text;
    bool is_error = false;
  };

  enum class Own { Drop, Keep };
  explicit LogFilter(Own own = Own::Drop) : own_(own == Own::Drop ? At::Own : At::Line) {}

  // The parts of the next bytes, in order; valid until the next call and while `bytes` is.
  const std::vector<Part>& feed(std::string_view bytes);

  // Whether a line has said that the lead stays for its files to be copied, since the last call.
  bool take_lingers() { return std::exchange(lingers_, false); }

  // What still waits, which is passed on at the end of the log.
  std::string_view rest() const;

 private:
  // Where it is: at the beginning of a line, with held_ as its first bytes; in a line that is
  // passed on; in one that is dropped; in an error.
  enum class At { Start, Line, Own, Error };

  // What a line may still become: its beginning, and how much of that is known.
  struct Beginning {
    std::string_view text;
    std::size_t known = 0;
  };
  Beginning beginning_with(std::string_view bytes) const;

  void take(std::string_view& bytes);
  void at_start(std::string_view& bytes);
  void in_line(std::string_view& bytes);
  void to_end_of_line(std::string_view& bytes);
  void add(std::string_view text, bool is_error);

  At own_;  // what a line of the operator that is no error is
  At at_ = At::Start;
  std::string held_;     // the first bytes of a line: a beginning of one of ours
  std::string earlier_;  // what was held until this call and is passed on in it
  std::vector<Part> parts_;
  bool lingers_ = false;
};

}  // namespace mc::kubectl
