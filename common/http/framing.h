#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

// Finds the end of a request on a connection (RFC 9112). Supported bodies have a Content-Length.
// Pure functions, linear in the number of bytes.
namespace mc::http {

inline constexpr std::size_t kMostHeadBytes = std::size_t{64} * 1024;
inline constexpr std::size_t kMostHeaders = 100;
// Bytes of a refused body that are read and discarded, so that the connection can be used again.
inline constexpr std::size_t kMostSkippedBytes = std::size_t{64} * 1024 * 1024;

// The size of the head, with its final empty line. The first `searched` bytes are known not to
// contain its end.
std::optional<std::size_t> end_of_head(std::string_view bytes, std::size_t searched = 0);

// An error answer that needs no handler.
struct Refusal {
  int status = 0;
  std::string why;
  bool close = false;  // the start of the next request is unknown, or too far away
};

struct Framing {
  std::size_t body = 0;           // bytes after the head
  bool expects_continue = false;  // the client waits for "100 Continue"
  std::optional<Refusal> refusal = std::nullopt;
};

// `head` ends with its empty line. Refuses a body that is larger than `max_body` bytes, compressed
// or without a length, and an ambiguous length.
Framing framing_of(std::string_view head, std::size_t max_body);

// Why these bytes, which contain no end of a head, are not the beginning of one.
std::optional<Refusal> not_a_head(std::string_view bytes);

// The bytes of the answer; 429 has Retry-After, which client-go honors.
std::string bytes_of(const Refusal& refusal);

}  // namespace mc::http
