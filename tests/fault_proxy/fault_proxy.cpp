#include "tests/fault_proxy/fault_proxy.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include "common/base/json.h"
#include "common/kube/object.h"

namespace mc::test {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kMostDelay{500};

// The same on every platform, unlike std::hash.
std::uint64_t mixed(std::uint64_t seed, const std::string& text, std::uint64_t count) {
  std::uint64_t hash = 14695981039346656037ULL ^ seed;
  const auto add = [&](std::uint64_t value) { hash = (hash ^ value) * 1099511628211ULL; };
  for (const char c : text) add(static_cast<unsigned char>(c));
  add(count);
  hash ^= hash >> 31;
  hash *= 0x9e3779b97f4a7c15ULL;
  return hash ^ (hash >> 29);
}

void reset_on_close(int socket) {
  const linger none{.l_onoff = 1, .l_linger = 0};
  setsockopt(socket, SOL_SOCKET, SO_LINGER, &none, sizeof(none));
}

bool write_all(int socket, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

std::string chunk(const std::string& text) {
  std::array<char, 16> size{};
  const auto end = std::to_chars(size.data(), size.data() + size.size(), text.size(), 16).ptr;
  return std::string(size.data(), end) + "\r\n" + text + "\r\n";
}

std::string message(int status, const std::string& body, int retry_after) {
  std::string head = "HTTP/1.1 " + std::to_string(status) + " X\r\nContent-Type: application/json";
  if (retry_after > 0) head += "\r\nRetry-After: " + std::to_string(retry_after);
  return head + "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

json status_of(int code, const std::string& reason) {
  return {{"kind", "Status"}, {"apiVersion", "v1"}, {"status", "Failure"},
          {"code", code},     {"reason", reason},   {"message", "a fault of the test"}};
}

std::string refusal(std::uint64_t drawn, bool is_write) {
  const std::array<std::pair<int, const char*>, 4> kinds = {
      {is_write ? std::pair(409, "Conflict") : std::pair(410, "Expired"),
       {429, "TooManyRequests"},
       {500, "InternalError"},
       {503, "ServiceUnavailable"}}};
  const auto& [code, reason] = kinds[drawn % kinds.size()];
  return message(code, status_of(code, reason).dump(), code == 429 ? 1 : 0);
}

std::string field(const std::string& head, std::string_view name) {
  const std::size_t at = head.find("\r\n" + std::string(name) + ": ");
  if (at == std::string::npos) return {};
  const std::size_t begin = at + name.size() + 4;
  return head.substr(begin, head.find("\r\n", begin) - begin);
}

// Reads one complete request; nothing if the connection ends first.
std::optional<kube::Request> read_request(int client) {
  std::string bytes;
  std::size_t head_size = std::string::npos, size = 0;
  std::array<char, 16384> piece{};
  while (head_size == std::string::npos || bytes.size() < head_size + size) {
    const ssize_t n = recv(client, piece.data(), piece.size(), 0);
    if (n <= 0) return std::nullopt;
    bytes.append(piece.data(), static_cast<std::size_t>(n));
    if (head_size != std::string::npos) continue;
    const std::size_t end = bytes.find("\r\n\r\n");
    if (end == std::string::npos) continue;
    head_size = end + 4;
    const std::string length = field(bytes.substr(0, head_size), "Content-Length");
    std::from_chars(length.data(), length.data() + length.size(), size);
  }
  const std::string head = bytes.substr(0, head_size);
  kube::Request request;
  request.method = head.substr(0, head.find(' '));
  const std::size_t path = request.method.size() + 1;
  request.path = head.substr(path, head.find(' ', path) - path);
  request.body = bytes.substr(head_size);
  request.content_type = field(head, "Content-Type");
  request.accept = field(head, "Accept");
  request.what = request.method + " " + request.path.substr(0, request.path.find('?'));
  return request;
}

bool is_watch(const kube::Request& request) {
  return request.path.find("watch=true") != std::string::npos;
}

// Without its Lease, a leader would end before it has anything under way.
bool is_kept(const kube::Request& request) {
  return request.method != "GET" && !request.path.contains("/leases");
}

std::string object_of(const std::string& line) {
  const json event = json::parse(line, nullptr, false);
  return event.is_object() && event.contains("object") ? kube::key_of(event["object"]) : "";
}

}  // namespace

struct FaultProxy::Client {
  explicit Client(int accepted) : socket(accepted) {}
  ~Client() {
    if (thread.joinable()) thread.join();
    close(socket);
  }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  const int socket;
  std::atomic<bool> done = false;
  std::thread thread;
};

FaultProxy::FaultProxy(kube::Config upstream, std::uint64_t seed) : seed_(seed) {
  kube::TransportOptions options;
  options.stop = stop_.get_token();
  auto transport = kube::Transport::create(upstream, options);
  EXPECT_TRUE(transport) << transport.error().message;
  upstream_ = *std::move(transport);
  acceptor_ = std::jthread([this] { accept_clients(); });
}

FaultProxy::~FaultProxy() {
  stop_.request_stop();
  shutdown(listener_.fd(), SHUT_RDWR);
  acceptor_.join();
  heal();
  for (const auto& client : clients_) shutdown(client->socket, SHUT_RDWR);
  clients_.clear();  // joins
}

std::string FaultProxy::kubeconfig() const {
  const std::string server = "http://127.0.0.1:" + std::to_string(listener_.port());
  return json{
      {"apiVersion", "v1"},
      {"kind", "Config"},
      {"current-context", "proxy"},
      {"clusters", json::array({{{"name", "proxy"}, {"cluster", {{"server", server}}}}})},
      {"users", json::array({{{"name", "anybody"}, {"user", json::object()}}})},
      {"contexts", json::array({{{"name", "proxy"},
                                 {"context", {{"cluster", "proxy"}, {"user", "anybody"}}}}})}}
      .dump();
}

void FaultProxy::slow_down(int percent) {
  only_delays_ = true;
  percent_ = percent;
}

void FaultProxy::release_writes() {
  keeps_ = false;
  keeps_.notify_all();
}

void FaultProxy::heal() {
  percent_ = 0;
  only_delays_ = false;
  release_writes();
  dark_ = false;
  ++healed_;
  healed_.notify_all();
  watches_.with([](std::stop_source& watches) {
    watches.request_stop();
    watches = std::stop_source();
  });
}

void FaultProxy::accept_clients() {
  bool was_dark = false;
  while (!stop_.stop_requested()) {
    pollfd waiting{listener_.fd(), POLLIN, 0};
    poll(&waiting, 1, 20);
    std::erase_if(clients_, [](const auto& client) { return client->done.load(); });
    if (dark_) {
      was_dark = true;
      continue;
    }
    if ((waiting.revents & POLLIN) == 0) {
      was_dark = false;
      continue;
    }
    const int socket = accept4(listener_.fd(), nullptr, nullptr, SOCK_CLOEXEC);
    if (socket < 0) continue;
    if (was_dark) {  // it has waited during the black hole, perhaps with a request
      reset_on_close(socket);
      close(socket);
      continue;
    }
    clients_.push_back(std::make_unique<Client>(socket));
    Client& client = *clients_.back();
    client.thread = std::thread([this, &client] {
      serve(client.socket);
      client.done = true;  // and is closed at the next check
    });
  }
}

// Serves until the client or a fault closes the connection.
void FaultProxy::serve(int client) {
  while (const auto request = read_request(client)) {
    if (!answer(client, *request)) return;
  }
}

bool FaultProxy::answer(int client, const kube::Request& request) {
  const std::uint64_t since = healed_;
  if (dark_) return hold(since);
  if (keeps_ && is_kept(request)) {
    ++kept_;
    keeps_.wait(true);
    --kept_;
  }
  const bool watch = is_watch(request);
  const std::uint64_t drawn = draw(request.what + (watch ? " watch" : ""));
  const Fault fault = fault_of(drawn, watch);
  switch (fault) {
    case Fault::Delay:
      std::this_thread::sleep_for(milliseconds(drawn / 7 % kMostDelay.count()));
      break;
    case Fault::ResetBefore:
      reset_on_close(client);
      return false;
    case Fault::Refuse:
      return write_all(client, refusal(drawn / 7, request.method != "GET"));
    case Fault::Silence:
      if (drawn / 7 % 2 == 0) return hold(since);
      break;  // the API server acts, but its answer is dropped
    default:
      break;
  }
  return watch ? forward_watch(client, request, since) : forward(client, request, fault, since);
}

bool FaultProxy::forward(int client, const kube::Request& request, Fault fault,
                         std::uint64_t since) {
  const auto response = upstream_->send(request);
  if (fault == Fault::Silence || dark_) return hold(since);
  if (!response || fault == Fault::ResetAfter) {
    reset_on_close(client);
    return false;
  }
  const std::string whole = message(response->status, response->body, response->retry_after_s);
  if (fault != Fault::Truncate) return write_all(client, whole);
  write_all(client, std::string_view(whole).substr(0, whole.size() / 2));
  return false;
}

// A fault of a line ends the watch, unless it affects only that line.
bool FaultProxy::forward_watch(int client, const kube::Request& request, std::uint64_t since) {
  if (!write_all(client,
                 "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                 "Transfer-Encoding: chunked\r\n\r\n")) {
    return false;
  }
  const auto stop = watches_.with([](std::stop_source& watches) { return watches.get_token(); });
  std::string late;  // sent after the next one, or at the end
  const auto tell = [&](const std::string& line) { return write_all(client, chunk(line + "\n")); };
  const auto end = upstream_->stream(request, stop, [&](std::string_view text) {
    const std::string line(text);
    if (dark_) return hold(since);
    if (!late.empty()) {
      const bool other = object_of(late) != object_of(line);
      const std::string first = other ? line : late, second = other ? late : line;
      late.clear();
      return tell(first) && tell(second);
    }
    const std::uint64_t drawn = draw(request.what + " line");
    switch (fault_of(drawn, false)) {
      case Fault::None:
        return tell(line);
      case Fault::Delay:
        std::this_thread::sleep_for(milliseconds(drawn / 7 % kMostDelay.count()));
        return tell(line);
      case Fault::ResetBefore:
        for (int i = 0; i < 2; ++i) {
          if (!tell(line)) return false;
        }
        return true;
      case Fault::ResetAfter:
        late = line;
        return true;
      case Fault::Refuse:
        tell(json({{"type", "ERROR"}, {"object", status_of(410, "Expired")}}).dump());
        return false;
      case Fault::Truncate:
        write_all(client, chunk(line.substr(0, line.size() / 2)));
        reset_on_close(client);
        return false;
      case Fault::Silence:
        return hold(since);
    }
    return false;
  });
  if (!end && end.error().kind == ErrorKind::Gone) {
    tell(json({{"type", "ERROR"}, {"object", status_of(410, "Expired")}}).dump());
  }
  if (!late.empty()) tell(late);
  if (end || end.error().kind == ErrorKind::Gone) write_all(client, "0\r\n\r\n");
  return false;
}

bool FaultProxy::hold(std::uint64_t since) {
  healed_.wait(since);
  return false;
}

std::uint64_t FaultProxy::draw(const std::string& what) {
  return mixed(seed_, what, seen_.with([&](auto& seen) { return seen[what]++; }));
}

FaultProxy::Fault FaultProxy::fault_of(std::uint64_t drawn, bool is_watch) const {
  if (static_cast<int>(drawn % 100) >= percent_) return Fault::None;
  if (only_delays_) return Fault::Delay;
  const std::array kFaults = {Fault::Delay,    Fault::ResetBefore, Fault::ResetAfter,
                              Fault::Truncate, Fault::Refuse,      Fault::Silence};
  const Fault fault = kFaults[drawn / 100 % kFaults.size()];
  // Faults after the answer apply to its lines.
  const bool before =
      fault == Fault::Delay || fault == Fault::ResetBefore || fault == Fault::Refuse;
  return is_watch && !before ? Fault::None : fault;
}

}  // namespace mc::test
