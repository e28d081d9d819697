#include "services/kubectl-minicluster/cluster/standard_input.h"

#include <sys/stat.h>
#include <unistd.h>

namespace mc::kubectl {
namespace {

bool is_nothing(const struct stat& input) {
  struct stat nothing{};
  return ::stat("/dev/null", &nothing) == 0 && S_ISCHR(input.st_mode) &&
         input.st_rdev == nothing.st_rdev;
}

}  // namespace

Input standard_input() {
  struct stat input{};
  if (::fstat(STDIN_FILENO, &input) != 0 || S_ISDIR(input.st_mode) || is_nothing(input))
    return Input::None;
  if (::isatty(STDIN_FILENO) == 1)
    return ::tcgetpgrp(STDIN_FILENO) == ::getpgrp() ? Input::Terminal : Input::None;
  return S_ISREG(input.st_mode) ? Input::File : Input::Stream;
}

}  // namespace mc::kubectl
