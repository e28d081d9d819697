#include "services/kubectl-minicluster/client/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <iostream>
#include <string_view>

#include "common/base/text.h"
#include "services/kubectl-minicluster/client/output.h"
#include "services/kubectl-minicluster/client/session.h"

namespace mc::kubectl {
namespace {

bool is_set(const char* variable) {
  const char* const value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

}  // namespace

Terminal Terminal::of_process() {
  Terminal terminal{.out = std::cout, .err = std::cerr};
  terminal.out_is_terminal = ::isatty(STDOUT_FILENO) == 1;
  terminal.err_is_terminal = ::isatty(STDERR_FILENO) == 1;
  terminal.in_is_terminal = ::isatty(STDIN_FILENO) == 1;
  const char* const kind = std::getenv("TERM");
  const bool is_dumb = kind != nullptr && std::string_view(kind) == "dumb";
  terminal.colours = !is_set("NO_COLOR") && !is_dumb;
  terminal.out_redraws = terminal.out_is_terminal && !is_dumb;
  terminal.measure();
  return terminal;
}

void Terminal::measure() {
  winsize size{};
  if (::ioctl(out_is_terminal ? STDOUT_FILENO : STDERR_FILENO, TIOCGWINSZ, &size) != 0) return;
  if (size.ws_col > 0) columns = size.ws_col;
  if (size.ws_row > 0) rows = size.ws_row;
}

int report(const Terminal& terminal, const std::string& sentence, int code) {
  terminal.err << "error: " << one_line(sentence) << "\n";
  return code;
}

int report(const Terminal& terminal, const Error& error) {
  return report(terminal, sentence_of(error));
}

int report_broken_output(const Terminal& terminal, int error) {
  if (is_without_reader(error)) return kBrokenPipe;
  return report(terminal, std::string("cannot write the output: ") + std::strerror(error));
}

}  // namespace mc::kubectl
