#include "services/kubectl-minicluster/client/proxy.h"

#include <poll.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "common/base/text.h"

namespace mc::kubectl {
namespace {

// A new folder with mode 0700.
Result<std::filesystem::path> private_folder() {
  std::error_code error;
  const std::filesystem::path parent = std::filesystem::temp_directory_path(error);
  std::string name = ((error ? "/tmp" : parent) / "kubectl-mc-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) {
    return fail(ErrorKind::Unavailable, "cannot create " + name + ": " + std::strerror(errno));
  }
  return name;
}

// Whether there is something to read, or the end, within `limit`.
bool is_readable(int fd, std::chrono::milliseconds limit) {
  pollfd waiting{fd, POLLIN, 0};
  return ::poll(&waiting, 1, static_cast<int>(limit.count())) == 1;
}

}  // namespace

Result<std::unique_ptr<Proxy>> Proxy::start(const Kubectl& kubectl, const ClusterFlags& flags) {
  auto folder = private_folder();
  if (!folder) return std::unexpected(folder.error());
  // Only the folder protects the socket, so no path is refused; exec and attach stay refused.
  auto child =
      Child::start(kubectl.command({"proxy", "--unix-socket=" + (*folder / "api").string()}),
                   {.remove_after = *folder});
  if (!child) {
    std::filesystem::remove_all(*folder);
    return std::unexpected(child.error());
  }
  std::unique_ptr<Proxy> proxy(new Proxy(*folder, *std::move(child)));
  // Its first line says that it listens. Without one it has ended.
  std::string line;
  if (!is_readable(proxy->child_.out(), flags.request_timeout)) {
    return fail(ErrorKind::Unavailable, "kubectl proxy does not start");
  }
  if (!read_some(proxy->child_.out(), line)) {
    (void)proxy->ends_within(flags.request_timeout);
    return fail(ErrorKind::Invalid, proxy->last_words());
  }
  return proxy;
}

Proxy::Proxy(std::filesystem::path folder, Child child)
    : folder_(std::move(folder)),
      child_(std::move(child)),
      waiter_([this] {
        child_.wait();
        has_ended_.ring();
      }),
      reader_([this] { read_errors(); }) {}

Proxy::~Proxy() {
  child_.kill();
  reader_.join();
  waiter_.join();
  std::error_code ignored;  // the guard removes it too
  std::filesystem::remove_all(folder_, ignored);
}

void Proxy::read_errors() {
  constexpr std::size_t kMost = 64 << 10;
  std::string text;
  std::array<pollfd, 2> ready = {{{child_.err(), POLLIN, 0}, {has_ended_.fd(), POLLIN, 0}}};
  do {
    if (::poll(ready.data(), ready.size(), -1) < 0) continue;
    if (ready[0].revents != 0 && !read_some(child_.err(), text)) break;
    errors_.with([&](std::string& errors) {
      errors += std::exchange(text, {});
      if (errors.size() > kMost) errors.erase(0, errors.size() - kMost);
    });
  } while (ready[1].revents == 0);  // what was read last is all that a pipe holds
  end_.set_value();
}

std::string Proxy::last_words() const {
  return one_line(reason_in(errors_.with([](const std::string& errors) { return errors; })));
}

}  // namespace mc::kubectl
