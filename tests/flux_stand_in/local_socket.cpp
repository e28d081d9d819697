#include "tests/flux_stand_in/local_socket.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace mc::stand_in {
namespace {

constexpr int kBacklog = 64;

sockaddr_un address_of(const std::string& path) {
  sockaddr_un out{};
  out.sun_family = AF_UNIX;
  path.copy(out.sun_path, sizeof out.sun_path - 1);
  return out;
}

void send_line(int fd, const json& value) {
  const std::string line = dump(value) + "\n";
  for (std::size_t done = 0; done < line.size();) {
    const ssize_t n = ::send(fd, line.data() + done, line.size() - done, MSG_NOSIGNAL);
    if (n <= 0) return;
    done += static_cast<std::size_t>(n);
  }
}

// False at the end of the connection.
bool read_some(int fd, int flags, std::string& to) {
  std::array<char, 65536> chunk{};
  const ssize_t n = recv(fd, chunk.data(), chunk.size(), flags);
  if (n > 0) to.append(chunk.data(), static_cast<std::size_t>(n));
  return n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR));
}

std::optional<json> take_line(std::string& text) {
  const std::size_t end = text.find('\n');
  if (end == std::string::npos) return std::nullopt;
  json out = json::parse(text.substr(0, end), nullptr, false);
  text.erase(0, end + 1);
  return out;
}

}  // namespace

Result<LocalSocket> LocalSocket::listen(const std::string& path) {
  LocalSocket out;
  out.listener_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  unlink(path.c_str());
  const sockaddr_un address = address_of(path);
  if (bind(out.listener_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(out.listener_, kBacklog) != 0) {
    return fail(ErrorKind::Unavailable, path + ": " + std::strerror(errno));
  }
  out.path_ = path;
  return out;
}

LocalSocket::LocalSocket(LocalSocket&& other) noexcept { *this = std::move(other); }

LocalSocket& LocalSocket::operator=(LocalSocket&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(listener_, other.listener_);
  std::swap(clients_, other.clients_);
  std::swap(next_, other.next_);
  return *this;
}

LocalSocket::~LocalSocket() {
  for (const auto& [number, client] : clients_) close(client.fd);
  if (listener_ >= 0) close(listener_);
  if (!path_.empty()) unlink(path_.c_str());
}

std::vector<std::pair<int, json>> LocalSocket::requests() {
  std::vector<std::pair<int, json>> out;
  if (listener_ < 0) return out;
  while (true) {
    const int client = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (client < 0) break;
    clients_.emplace(next_++, Client{client, ""});
  }
  for (auto entry = clients_.begin(); entry != clients_.end();) {
    auto& [number, client] = *entry;
    const bool open = read_some(client.fd, MSG_DONTWAIT, client.partial);
    for (auto line = take_line(client.partial); line; line = take_line(client.partial)) {
      if (line->is_object()) out.emplace_back(number, std::move(*line));
    }
    if (!open) close(client.fd);
    entry = open ? std::next(entry) : clients_.erase(entry);
  }
  return out;
}

void LocalSocket::send(int client, const json& answer) {
  const auto found = clients_.find(client);
  if (found != clients_.end()) send_line(found->second.fd, answer);
}

std::vector<int> LocalSocket::fds() const {
  std::vector<int> out;
  if (listener_ >= 0) out.push_back(listener_);
  for (const auto& [number, client] : clients_) out.push_back(client.fd);
  return out;
}

Result<Connection> Connection::open(const std::string& uri) {
  constexpr std::string_view kScheme = "local://";
  if (!uri.starts_with(kScheme)) return fail(ErrorKind::Invalid, "unknown scheme: " + uri);
  Connection out(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const sockaddr_un address = address_of(uri.substr(kScheme.size()));
  if (connect(out.fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    return fail(ErrorKind::Unavailable, uri + ": " + std::strerror(errno));
  }
  return out;
}

Connection::Connection(Connection&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), partial_(std::move(other.partial_)) {}

Connection::~Connection() {
  if (fd_ >= 0) close(fd_);
}

void Connection::send(const json& request) { send_line(fd_, request); }

std::optional<json> Connection::receive() {
  while (true) {
    if (auto line = take_line(partial_)) return line;
    if (!read_some(fd_, 0, partial_)) return std::nullopt;
  }
}

}  // namespace mc::stand_in
