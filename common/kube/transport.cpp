#include "common/kube/transport.h"

#include <httplib.h>
#include <poll.h>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <fstream>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "common/base/guarded.h"
#include "common/kube/fence.h"
#include "common/kube/socket.h"
#include "common/kube/tls.h"
#include "common/kube/tls_client.h"

namespace mc::kube {
namespace {

using SteadyClock = std::chrono::steady_clock;

// The API server closes connections that are idle for 90 s; ours are dropped well before.
constexpr std::chrono::seconds kIdleLifetime{30};
constexpr std::size_t kMaxIdle = 32;
// The API server accepts objects of at most 3 MiB; a line is one object and a little more.
constexpr std::size_t kMaxLine = 16 << 20;

constexpr std::size_t kPiece = 16 << 10;  // of a body: a TLS record

constexpr const char* kNotLeading = "we are not the leader";
constexpr const char* kEnding = "the process ends";

// One connection with its state; used by one thread at a time.
struct Connection {
  std::string refusal;  // why the server's certificate was refused
  std::unique_ptr<httplib::ClientImpl> client;
  SteadyClock::time_point last_use;

  // An idle connection with something to read was closed by the server.
  bool reusable() const {
    if (SteadyClock::now() - last_use > kIdleLifetime || client->is_socket_open() == 0)
      return false;
    pollfd waiting{client->socket(), POLLIN, 0};
    return poll(&waiting, 1, 0) == 0;
  }
};

// Cuts a stream of bytes into lines.
class LineSplitter {
 public:
  explicit LineSplitter(const std::function<bool(std::string_view)>& on_line) : on_line_(on_line) {}

  // False if on_line has returned false, or if a line is too long.
  bool feed(std::string_view bytes) {
    for (auto end = bytes.find('\n'); end != std::string_view::npos; end = bytes.find('\n')) {
      rest_.append(bytes.substr(0, end));
      bytes.remove_prefix(end + 1);
      const bool more = rest_.empty() || on_line_(rest_);
      rest_.clear();
      if (!more) return false;
    }
    rest_.append(bytes);
    overflow_ = rest_.size() > kMaxLine;
    return !overflow_;
  }

  bool overflow() const { return overflow_; }

 private:
  const std::function<bool(std::string_view)>& on_line_;
  std::string rest_;
  bool overflow_ = false;
};

int retry_after_of(const httplib::Response& response) {
  const auto text = response.get_header_value("Retry-After");
  int seconds = 0;  // API servers do not use the date format
  std::from_chars(text.data(), text.data() + text.size(), seconds);
  return std::max(seconds, 0);
}

class HttpTransport final : public Transport {
 public:
  HttpTransport(Config config, Endpoint endpoint, std::optional<Tls> tls, TransportOptions options)
      : config_(std::move(config)),
        endpoint_(std::move(endpoint)),
        tls_(std::move(tls)),
        options_(std::move(options)),
        host_(config_.server.substr(config_.server.find("://") + 3)) {
    host_ = host_.substr(0, host_.find('/'));
  }

  Result<Response> send(const Request& request) override {
    static const WriteTime kAlways;
    Fence fence(request.method == "GET" ? kAlways : options_.may_write_for);
    if (!fence.is_open()) return not_sent(request, kNotLeading);
    if (options_.stop.stop_requested()) return not_sent(request, kEnding);
    auto message = message_of(request);
    if (!message) return std::unexpected(message.error());
    auto connection = take();
    if (fence.is_there()) {
      put_behind(fence, request.body, *message, *connection->client);
    } else {
      message->body = request.body;
    }
    httplib::Response answer;
    auto error = httplib::Error::Success;
    const auto begin = SteadyClock::now();
    const bool ok = exchange(*connection, {}, *message, answer, error);
    observe(ok ? answer.status : 0, request, begin);
    if (fence.has_refused()) return not_sent(request, kNotLeading);
    if (!ok) return no_answer(request, *connection, error);
    Response response{answer.status, std::move(answer.body), retry_after_of(answer)};
    give_back(std::move(connection));
    return response;
  }

  Result<void> stream(const Request& request, std::stop_token stop,
                      const std::function<bool(std::string_view)>& on_line) override {
    LineSplitter lines(on_line);
    auto end =
        read(request, std::move(stop), [&](std::string_view bytes) { return lines.feed(bytes); });
    if (lines.overflow()) return fail(ErrorKind::Malformed, request.what + ": a line is too long");
    return end;
  }

  Result<void> read(const Request& request, std::stop_token stop,
                    const std::function<bool(std::string_view)>& on_bytes) override {
    auto message = message_of(request);
    if (!message) return std::unexpected(message.error());
    const auto connection = connect(options_.stream_idle_timeout);
    Response response;
    bool wanted = true;
    const auto begin = SteadyClock::now();
    message->response_handler = [&](const httplib::Response& head) {
      response.status = head.status;
      response.retry_after_s = retry_after_of(head);
      observe(head.status, request, begin);  // not when the stream ends, minutes later
      return true;
    };
    message->content_receiver = [&](const char* data, std::size_t size, uint64_t, uint64_t) {
      if (stop.stop_requested()) return false;
      if (response.status == 200) return wanted = on_bytes({data, size});
      response.body.append(data, size);
      return true;
    };
    httplib::Response answer;
    auto error = httplib::Error::Success;
    const bool whole = exchange(*connection, stop, *message, answer, error);
    if (response.status == 0) observe(0, request, begin);
    if (stop.stop_requested() || !wanted) return {};
    if (response.status != 0 && response.status != 200) {
      return std::unexpected(api_error(request, response));
    }
    if (!whole) return no_answer(request, *connection, error);
    return {};
  }

 private:
  using ConnectionPtr = std::unique_ptr<Connection>;

  // Without its body.
  Result<httplib::Request> message_of(const Request& request) const {
    if (request.path.empty()) {
      return fail(ErrorKind::Invalid, request.what + ": the object has no name");
    }
    httplib::Request message;
    message.method = request.method;
    message.path = endpoint_.prefix + request.path;
    message.headers = {
        {"Host", host_}, {"Accept", request.accept}, {"User-Agent", config_.user_agent}};
    if (!request.body.empty()) message.set_header("Content-Type", request.content_type);
    auto token = this->token();
    if (!token) return std::unexpected(token.error());
    if (!token->empty()) message.set_header("Authorization", "Bearer " + *token);
    return message;
  }

  // `body` must outlive the request.
  static void put_behind(Fence& fence, const std::string& body, httplib::Request& message,
                         const httplib::ClientImpl& client) {
    message.content_length_ = body.size();
    message.content_provider_ = [&fence, &body, &client](std::size_t offset, std::size_t,
                                                         httplib::DataSink& sink) {
      return fence.lets_through(client.socket()) &&
             sink.write(body.data() + offset, std::min(body.size() - offset, kPiece));
    };
  }

  // One request and its answer; ended early by `stop` or the transport's own. False: no complete
  // answer.
  bool exchange(Connection& connection, const std::stop_token& stop, httplib::Request& message,
                httplib::Response& answer, httplib::Error& error) const {
    httplib::ClientImpl& client = *connection.client;
    SocketStop socket_stop;
    client.set_socket_options([&](int socket) {
      set_liveness(socket);
      socket_stop.watch(socket);
    });
    if (client.is_socket_open() != 0) socket_stop.watch(client.socket());
    const auto end = [&] { socket_stop.stop(); };
    const std::stop_callback on_stop(stop, end), on_end(options_.stop, end);
    return client.send(message, answer, error);
  }

  // A kilobyte in the page cache: reading it costs less than checking whether it has changed.
  Result<std::string> token() const {
    if (config_.token_file.empty()) return config_.token;
    std::ifstream in(config_.token_file);
    std::string token;
    if (!(in >> token)) {
      return fail(ErrorKind::Unavailable, "cannot read token file " + config_.token_file.string());
    }
    return token;
  }

  ConnectionPtr connect(std::chrono::seconds read_timeout) const {
    auto connection = std::make_unique<Connection>();
    const bool is_unix = !config_.unix_socket.empty();
    if (is_unix) {
      connection->client = std::make_unique<httplib::ClientImpl>(config_.unix_socket.string());
      connection->client->set_address_family(AF_UNIX);
    } else if (tls_) {
      connection->client =
          make_tls_client(endpoint_.host, endpoint_.port, *tls_, connection->refusal);
    } else {
      connection->client = std::make_unique<httplib::ClientImpl>(endpoint_.host, endpoint_.port);
    }
    auto& client = *connection->client;
    client.set_keep_alive(true);
    client.set_tcp_nodelay(!is_unix);
    client.set_url_encode(false);  // paths are encoded already
    client.set_connection_timeout(options_.connect_timeout);
    client.set_read_timeout(read_timeout);
    client.set_write_timeout(options_.response_timeout);
    return connection;
  }

  ConnectionPtr take() {
    auto idle = idle_.with([](std::vector<ConnectionPtr>& all) {
      ConnectionPtr found;
      while (!found && !all.empty()) {
        if (all.back()->reusable()) found = std::move(all.back());
        all.pop_back();
      }
      return found;
    });
    if (idle) return idle;
    return connect(options_.response_timeout);
  }

  void give_back(ConnectionPtr connection) {
    connection->last_use = SteadyClock::now();
    idle_.with([&](std::vector<ConnectionPtr>& all) {
      if (all.size() < kMaxIdle) all.push_back(std::move(connection));
    });
  }

  static std::unexpected<Error> not_sent(const Request& request, const char* why) {
    return fail(ErrorKind::Unavailable, request.what + ": not sent, " + why);
  }

  std::unexpected<Error> no_answer(const Request& request, const Connection& connection,
                                   httplib::Error error) const {
    std::string why;
    if (options_.stop.stop_requested()) {
      why = "aborted, the process ends";
    } else if (!connection.refusal.empty()) {
      why = "server certificate refused: " + connection.refusal;
    } else if (error == httplib::Error::SSLConnection) {
      why = "TLS handshake failed";
    } else if (error == httplib::Error::Read || error == httplib::Error::Write) {
      why = "connection lost, or no answer in time";
    } else {
      why = httplib::to_string(error) + " error";
    }
    return fail(ErrorKind::Unavailable, request.what + ": " + host_ + ": " + why);
  }

  void observe(int code, const Request& request, SteadyClock::time_point begin) const {
    if (options_.observer) options_.observer(code, request.method, SteadyClock::now() - begin);
  }

  // Constant after construction.
  const Config config_;
  const Endpoint endpoint_;
  const std::optional<Tls> tls_;
  const TransportOptions options_;
  std::string host_;

  // Provides its own synchronisation.
  Guarded<std::vector<ConnectionPtr>> idle_;
};

}  // namespace

Result<std::unique_ptr<Transport>> Transport::create(const Config& config,
                                                     TransportOptions options) {
  auto endpoint = parse_server(config.server);
  if (!endpoint) return std::unexpected(endpoint.error());
  std::optional<Tls> tls;
  if (endpoint->tls) {
    auto made = Tls::create(config, endpoint->host);
    if (!made) return std::unexpected(made.error());
    tls.emplace(std::move(*made));
  }
  std::signal(SIGPIPE, SIG_IGN);
  return std::make_unique<HttpTransport>(config, std::move(*endpoint), std::move(tls),
                                         std::move(options));
}

}  // namespace mc::kube
