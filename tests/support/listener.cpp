#include "tests/support/listener.h"

#include <cerrno>
#include <system_error>

namespace mc::test {

Listener::Listener(int backlog) : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  address_.sin_family = AF_INET;
  address_.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto* const address = reinterpret_cast<sockaddr*>(&address_);
  socklen_t size = sizeof(address_);
  if (::bind(fd_, address, size) == 0 && ::listen(fd_, backlog) == 0 &&
      ::getsockname(fd_, address, &size) == 0) {
    return;
  }
  const int error = errno;
  ::close(fd_);
  throw std::system_error(error, std::generic_category(), "listen on the loopback");
}

}  // namespace mc::test
