#include "common/http/exchange.h"

#include <httplib.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <utility>

#include "common/base/text.h"
#include "common/observe/log.h"

namespace mc::http {
namespace {

using SteadyTime = std::chrono::steady_clock::time_point;

// Of the request that this thread answers. The library passes nothing on to its handlers.
thread_local SteadyTime complete_at;

// One request in memory, and its answer.
class MemoryStream final : public httplib::Stream {
 public:
  explicit MemoryStream(std::string_view request) : rest_(request) {}

  using httplib::Stream::write;
  bool is_readable() const override { return !rest_.empty(); }
  bool is_writable() const override { return true; }
  ssize_t read(char* bytes, size_t size) override {
    const std::size_t count = std::min(size, rest_.size());
    std::memcpy(bytes, rest_.data(), count);
    rest_.remove_prefix(count);
    return static_cast<ssize_t>(count);
  }
  ssize_t write(const char* bytes, size_t size) override {
    written_.append(bytes, size);
    return static_cast<ssize_t>(size);
  }
  void get_remote_ip_and_port(std::string& /*ip*/, int& port) const override { port = 0; }
  void get_local_ip_and_port(std::string& /*ip*/, int& port) const override { port = 0; }
  socket_t socket() const override { return INVALID_SOCKET; }

  std::string take_written() { return std::move(written_); }

 private:
  std::string_view rest_;
  std::string written_;
};

Response text(int status, std::string line) { return {status, std::move(line) + "\n"}; }

// `Application/JSON; charset=utf-8` -> `application/json`
std::string media_type(std::string_view content_type) {
  std::string type(content_type.substr(0, content_type.find(';')));
  std::erase_if(type, [](char c) { return c == ' ' || c == '\t'; });
  return lower_case(std::move(type));
}

}  // namespace

class Exchange::Library final : public httplib::Server {
 public:
  Library(std::vector<Route> routes, bool one_request);

  Answer answer(const std::string& head, std::string body, SteadyTime complete);
  void count(std::string_view path, int status) const;
  void drain() { draining_ = true; }

 private:
  using Setup = std::function<void(httplib::Request&)>;
  // The library's function in 0.11.
  bool run(bool (httplib::Server::*process)(httplib::Stream&, bool, bool&, const Setup&),
           httplib::Stream& stream, bool& close, const Setup& setup) {
    return (this->*process)(stream, one_request_, close, setup);
  }
  // In 0.18, with the addresses of both ends.
  bool run(bool (httplib::Server::*process)(httplib::Stream&, const std::string&, int,
                                            const std::string&, int, bool, bool&, const Setup&),
           httplib::Stream& stream, bool& close, const Setup& setup) {
    return (this->*process)(stream, "", 0, "", 0, one_request_, close, setup);
  }
  Response respond(const httplib::Request& request) const;

  const std::vector<Route> routes_;
  const bool one_request_;
  std::atomic<bool> draining_{false};
};

Exchange::Library::Library(std::vector<Route> routes, bool one_request)
    : routes_(std::move(routes)), one_request_(one_request) {
  // Runs before the library would read a body: it is already in the request.
  set_pre_routing_handler([this](const httplib::Request& request, httplib::Response& response) {
    Response answer = respond(request);
    count(request.path, answer.status);
    response.status = answer.status;
    response.set_content(answer.body, answer.content_type.c_str());
    if (answer.status == 401) response.set_header("WWW-Authenticate", "Bearer");
    return HandlerResponse::Handled;
  });
  set_error_handler([](const httplib::Request&, httplib::Response& response) {
    if (response.body.empty()) {
      response.set_content("malformed request\n", "text/plain; charset=utf-8");
    }
  });
  set_post_routing_handler([this](const httplib::Request&, httplib::Response& response) {
    response.headers.erase("Keep-Alive");  // the library's timeout does not apply
    if (draining_ && !response.has_header("Connection")) response.set_header("Connection", "close");
  });
}

Exchange::Answer Exchange::Library::answer(const std::string& head, std::string body,
                                           SteadyTime complete) {
  complete_at = complete;
  MemoryStream stream(head);
  bool understood = false, close = false;
  const auto with_body = [&](httplib::Request& request) {
    understood = true;
    request.body = std::move(body);
    request.headers.erase("Expect");  // the body is here already
    request.ranges.clear();           // they could turn a few bytes into an answer of any size
    // Every client in Go asks for gzip, and compressing an answer to an admission request took
    // longer than anything else. What is long and asked for rarely (/metrics) is compressed.
    if (request.method == "POST") request.headers.erase("Accept-Encoding");
  };
  run(&Library::process_request, stream, close, with_body);
  return {stream.take_written(), close || one_request_ || !understood};
}

void Exchange::Library::count(std::string_view path, int status) const {
  const auto route = std::ranges::find(routes_, path, &Route::path);
  if (route != routes_.end() && route->answered) route->answered(status);
}

Response Exchange::Library::respond(const httplib::Request& request) const {
  const std::string method = request.method == "HEAD" ? "GET" : request.method;
  std::string allowed;
  for (const Route& route : routes_) {
    if (route.path != request.path) continue;
    if (route.method != method) {
      allowed += (allowed.empty() ? "" : ", ") + route.method;
      continue;
    }
    const std::string type = request.get_header_value("Content-Type");
    if (!route.consumes.empty() && media_type(type) != route.consumes) {
      return text(415, "Content-Type is \"" + type + "\", must be " + route.consumes);
    }
    const std::string authorization = request.get_header_value("Authorization");
    try {
      return route.handle({request.method, request.path, request.body, authorization, complete_at});
    } catch (const std::exception& exception) {
      log::error("Failed to serve a request", {{"path", route.path}, {"err", exception.what()}});
      return text(500, "internal error");
    }
  }
  if (allowed.empty()) return text(404, "no such path");
  return text(405, "method " + request.method + " not allowed, must be " + allowed);
}

Exchange::Exchange(std::vector<Route> routes, bool one_request)
    : library_(std::make_unique<Library>(std::move(routes), one_request)) {}

Exchange::~Exchange() = default;

Exchange::Answer Exchange::answer(const std::string& head, std::string body,
                                  SteadyTime complete) const {
  return library_->answer(head, std::move(body), complete);
}

void Exchange::refused(std::string_view head, int status) const {
  const std::size_t space = head.find(' ');
  if (space == std::string_view::npos) return;
  const std::string_view path = head.substr(space + 1);
  library_->count(path.substr(0, path.find_first_of("? \r\n")), status);
}

void Exchange::drain() { library_->drain(); }

}  // namespace mc::http
