#include "services/kubectl-minicluster/cluster/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <string_view>

#include "services/kubectl-minicluster/cluster/session.h"

namespace mc::kubectl {
namespace {

bool is_set(const char* variable) {
  const char* const value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

int width_of(int fd) {
  winsize size{};
  return ::ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

}  // namespace

Terminal Terminal::of_process() {
  Terminal terminal{.out = std::cout, .err = std::cerr};
  terminal.out_is_terminal = ::isatty(STDOUT_FILENO) == 1;
  terminal.err_is_terminal = ::isatty(STDERR_FILENO) == 1;
  terminal.in_is_terminal = ::isatty(STDIN_FILENO) == 1;
  const char* const kind = std::getenv("TERM");
  terminal.colours = !is_set("NO_COLOR") && (kind == nullptr || std::string_view(kind) != "dumb");
  terminal.columns = width_of(terminal.out_is_terminal ? STDOUT_FILENO : STDERR_FILENO);
  return terminal;
}

int report(const Terminal& terminal, const Error& error) {
  terminal.err << "error: " << sentence_of(error) << std::endl;
  return kFailed;
}

}  // namespace mc::kubectl
