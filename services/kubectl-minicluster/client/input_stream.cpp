#include "services/kubectl-minicluster/client/input_stream.h"

#include <poll.h>
#include <pthread.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <utility>
#include <vector>

namespace mc::kubectl {
namespace {

// A terminal sends this to a background process that reads it, which would stop all of us.
void refuse_to_be_stopped() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTTIN);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

std::vector<std::string> attach_to(const InputStream::Recipient& target) {
  return {"attach", "--stdin", "--quiet", target.pod, "--container=" + target.container};
}

}  // namespace

InputStream::InputStream(const Kubectl& kubectl, Recipient target, std::function<void()> on_end)
    : target_(std::move(target)),
      on_end_(std::move(on_end)),
      child_(kubectl.start(attach_to(target_), {.is_fed = true})),
      giver_([this] { give(); }) {}

InputStream::~InputStream() {
  if (child_) child_->kill();
  giver_.join();
}

void InputStream::give() {
  refuse_to_be_stopped();
  std::string error;
  if (child_) {
    give_all();
    if (child_->wait() != 0) error = reason_in(errors_);
  } else {
    error = child_.error().message;
  }
  end_.with([&](std::optional<std::string>& end) { end = std::move(error); });
  on_end_();
}

// Until the child ends.
void InputStream::give_all() {
  std::string printed;
  std::thread reader;
  if (child_->feed(target_.first_line + "\n") && read_some(child_->out(), printed)) {
    is_connected_ = true;
    // What the container prints is in its log. If nobody read it here, its program would wait.
    reader = std::thread([this] {
      for (std::string more; read_some(child_->out(), more); more.clear()) continue;
    });
    if (!target_.is_all) {
      while (pass_on()) continue;
    }
  }
  child_->end_input();
  errors_ += read_all(child_->err());
  if (reader.joinable()) reader.join();
}

// What there is to read, at once. False at the end of the input or of the child.
bool InputStream::pass_on() {
  std::array<pollfd, 2> ready = {{{STDIN_FILENO, POLLIN, 0}, {child_->err(), POLLIN, 0}}};
  if (::poll(ready.data(), ready.size(), -1) < 0) return errno == EINTR;
  if (ready[1].revents != 0) return read_some(child_->err(), errors_);
  std::array<char, 64 << 10> piece{};
  const ssize_t size = ::read(STDIN_FILENO, piece.data(), piece.size());
  if (size < 0) return errno == EINTR || errno == EAGAIN;
  has_given_ = has_given_ || size > 0;
  return size > 0 && child_->feed({piece.data(), static_cast<std::size_t>(size)});
}

}  // namespace mc::kubectl
