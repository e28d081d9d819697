#include "common/kube/fence.h"

#include "common/kube/socket.h"

namespace mc::kube {

bool Fence::lets_through(int socket) {
  const auto time = time_();
  refused_ = time <= std::chrono::milliseconds(0);
  if (!refused_) limit_sending(socket, time);
  return !refused_;
}

}  // namespace mc::kube
