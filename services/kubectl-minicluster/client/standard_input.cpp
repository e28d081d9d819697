#include "services/kubectl-minicluster/client/standard_input.h"

#include <sys/stat.h>
#include <unistd.h>

namespace mc::kubectl {
namespace {

bool is_nothing(const struct stat& input) {
  struct stat nothing{};
  return ::stat("/dev/null", &nothing) == 0 && S_ISCHR(input.st_mode) &&
         input.st_rdev == nothing.st_rdev;
}

bool has_nothing_left(const struct stat& file) {
  return ::lseek(STDIN_FILENO, 0, SEEK_CUR) >= file.st_size;
}

}  // namespace

Input standard_input() {
  struct stat input{};
  if (::fstat(STDIN_FILENO, &input) != 0 || S_ISDIR(input.st_mode) || is_nothing(input))
    return Input::None;
  if (::isatty(STDIN_FILENO) == 1)
    return ::tcgetpgrp(STDIN_FILENO) == ::getpgrp() ? Input::Terminal : Input::None;
  if (!S_ISREG(input.st_mode)) return Input::Stream;
  return has_nothing_left(input) ? Input::None : Input::File;
}

}  // namespace mc::kubectl
