#include "services/kubectl-minicluster/client/bell.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>

namespace mc::kubectl {

Bell::Bell() {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) return;
  for (const int end : ends) ::fcntl(end, F_SETFD, FD_CLOEXEC);
  read_ = ends[0];
  write_ = ends[1];
}

Bell::~Bell() {
  if (read_ < 0) return;
  ::close(read_);
  ::close(write_);
}

void Bell::ring() const {
  // A byte and not the end of the pipe: another program may have got this end before FD_CLOEXEC.
  if (write_ >= 0) (void)!::write(write_, "!", 1);
}

}  // namespace mc::kubectl
