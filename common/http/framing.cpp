#include "common/http/framing.h"

#include <algorithm>
#include <charconv>
#include <system_error>

#include "common/base/text.h"

namespace mc::http {
namespace {

std::string_view phrase(int status) {
  switch (status) {
    case 411:
      return "Length Required";
    case 413:
      return "Content Too Large";
    case 415:
      return "Unsupported Media Type";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    default:
      return "Bad Request";
  }
}

// The next line without its end, taken from `rest`.
std::string_view take_line(std::string_view& rest) {
  const auto end = rest.find('\n');
  std::string_view line = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

// What the headers say about the body.
struct BodyHeaders {
  std::optional<std::size_t> length;
  bool expects_continue = false;
};

Refusal malformed(std::string why) { return {400, std::move(why), true}; }

std::optional<Refusal> read_length(std::string_view value, BodyHeaders& headers) {
  std::size_t length = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), length);
  if (error != std::errc() || end != value.data() + value.size()) {
    return malformed("Content-Length is not a number of bytes");
  }
  if (headers.length && *headers.length != length) return malformed("two values of Content-Length");
  headers.length = length;
  return std::nullopt;
}

std::optional<Refusal> read_header(std::string_view line, BodyHeaders& headers) {
  const auto colon = line.find(':');
  const std::string name = lower_case(std::string(line.substr(0, colon)));
  if (colon == std::string_view::npos || name.find_first_of(" \t") != std::string::npos) {
    return malformed("malformed header");
  }
  const std::string_view value = trimmed(line.substr(colon + 1));
  if (name == "content-length") return read_length(value, headers);
  if (name == "transfer-encoding") {
    return Refusal{411, "a body must have a Content-Length", true};
  }
  if (name == "content-encoding" && lower_case(std::string(value)) != "identity") {
    // A few compressed bytes could become any number.
    return Refusal{415, "a body must not be compressed", true};
  }
  if (name == "expect" && lower_case(std::string(value)) == "100-continue")
    headers.expects_continue = true;
  return std::nullopt;
}

}  // namespace

std::optional<std::size_t> end_of_head(std::string_view bytes, std::size_t searched) {
  constexpr std::string_view kEnd = "\n\r\n";
  const auto at = bytes.find(kEnd, searched - std::min(searched, kEnd.size() - 1));
  if (at == std::string_view::npos) return std::nullopt;
  return at + kEnd.size();
}

Framing framing_of(std::string_view head, std::size_t max_body) {
  take_line(head);  // the request line; the library parses it
  BodyHeaders headers;
  std::size_t count = 0;
  for (std::string_view line = take_line(head); !line.empty(); line = take_line(head)) {
    if (++count > kMostHeaders) {
      return {.refusal =
                  Refusal{431, "more than " + std::to_string(kMostHeaders) + " headers", true}};
    }
    if (auto refusal = read_header(line, headers)) return {.refusal = std::move(refusal)};
  }
  Framing framing{headers.length.value_or(0), headers.expects_continue};
  if (framing.body > max_body) {
    framing.refusal = {413, "body larger than " + std::to_string(max_body) + " bytes",
                       framing.expects_continue || framing.body > kMostSkippedBytes};
  }
  return framing;
}

std::optional<Refusal> not_a_head(std::string_view bytes) {
  // A method is in capital letters; TLS or another protocol is refused at once.
  if (!bytes.empty() && (bytes.front() < 'A' || bytes.front() > 'Z')) {
    return malformed("malformed request");
  }
  if (bytes.size() >= kMostHeadBytes) {
    return Refusal{431, "headers larger than " + std::to_string(kMostHeadBytes) + " bytes", true};
  }
  return std::nullopt;
}

std::string bytes_of(const Refusal& refusal) {
  const std::string body = refusal.why + "\n";
  std::string bytes = "HTTP/1.1 " + std::to_string(refusal.status) + " ";
  bytes.append(phrase(refusal.status));
  bytes += "\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: " +
           std::to_string(body.size());
  if (refusal.status == 429) bytes += "\r\nRetry-After: 1";
  if (refusal.close) bytes += "\r\nConnection: close";
  return bytes + "\r\n\r\n" + body;
}

}  // namespace mc::http
