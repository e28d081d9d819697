#include <algorithm>
#include <charconv>

#include "tests/common/http/exchange_bytes.h"
#include "tests/fuzz/targets.h"

namespace mc::fuzz {
namespace {

constexpr std::size_t kMostBody = 4096;
constexpr std::string_view kAnswered = "answered\n";

// What the handlers of this target received.
thread_local std::string_view sent;
thread_local std::size_t handled = 0;

http::Response handle(const http::Request& request) {
  ++handled;
  require(request.path == "/read" || request.path == "/write", "a path of ours");
  require(request.body.size() <= kMostBody, "a body is bounded");
  require(sent.contains(request.body), "a body is what was sent");
  return {200, std::string(kAnswered)};
}

// Takes one answer from `rest`. The answer to a HEAD has no body: then another answer follows, or
// nothing.
void take_answer(std::string_view& rest) {
  require(rest.starts_with("HTTP/1.1 ") && rest.size() > 12, "an answer begins with its status");
  const std::string_view status = rest.substr(9, 3);
  require(std::ranges::all_of(status, [](char c) { return c >= '0' && c <= '9'; }), "of 3 digits");
  const std::size_t end = rest.find("\r\n\r\n");
  require(end != rest.npos, "an answer's head ends");
  const std::string_view head = rest.substr(0, end + 2);
  rest.remove_prefix(end + 4);
  constexpr std::string_view kLength = "\r\nContent-Length: ";
  const std::size_t at = head.find(kLength);
  require(at != head.npos, "an answer says its length");
  std::size_t length = 0;
  const std::string_view number = head.substr(at + kLength.size());
  std::from_chars(number.data(), number.data() + number.size(), length);
  if (rest.empty() || rest.starts_with("HTTP/1.1 ")) return;
  require(length <= rest.size(), "a body is as long as its answer says");
  rest.remove_prefix(length);
}

}  // namespace

// The bytes that a client sends on one connection. Each complete request gets exactly one answer,
// whatever its bytes.
void http_request(std::string_view input) {
  static const http::Exchange kExchange(
      {{"GET", "/read", "", handle}, {"POST", "/write", "application/json", handle}}, false);
  sent = input;
  handled = 0;
  const std::string answers = http::answers_to(kExchange, input, kMostBody);
  std::string_view rest = answers;
  std::size_t count = 0;
  for (; !rest.empty(); ++count) take_answer(rest);
  require(handled <= count, "whatever was handled is answered");
  require(count <= input.size() / 2 + 1, "there are no more answers than requests");
}

}  // namespace mc::fuzz
