#pragma once
#include <cerrno>
#include <iosfwd>
#include <string>

#include "common/base/result.h"

namespace mc::kubectl {

// Where a verb writes.
struct Terminal {
  std::ostream& out;
  std::ostream& err;
  bool out_is_terminal = false, err_is_terminal = false;
  bool in_is_terminal = false;  // standard input
  // Of what goes to a terminal: false if NO_COLOR (no-color.org) is set, or with TERM=dumb.
  bool colours = false;
  // Whether lines on standard output can be drawn over.
  bool out_redraws = false;
  int columns = 80, rows = 24;

  // Standard output and error.
  static Terminal of_process();

  // Asks for columns and rows again: a window may have another size now.
  void measure();
};

// Exit codes, documented in docs/kubectl-minicluster.md; a usage error is kUsageError (2).
// view/exit_code.h has those of `run` and `wait`.
inline constexpr int kFailed = 1;
inline constexpr int kInterrupted = 130;
inline constexpr int kBrokenPipe = 141;  // nobody reads the output any more

// Prints `error: SENTENCE` as one line and returns the code.
int report(const Terminal& terminal, const std::string& sentence, int code = kFailed);
int report(const Terminal& terminal, const Error& error);

// The exit code if this errno was the end of standard output. Says so, unless its reader has gone.
int report_broken_output(const Terminal& terminal, int error = errno);

}  // namespace mc::kubectl
