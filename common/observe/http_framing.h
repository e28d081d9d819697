#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

// Where a request on a connection ends (RFC 9112), as far as we take it: a body has a length that
// is said before. Pure, in time proportional to the bytes.
namespace mc::observe {

inline constexpr std::size_t kMostHeadBytes = std::size_t{64} * 1024;
inline constexpr std::size_t kMostHeaders = 100;
// Of a body that is refused, read and thrown away so that the connection may go on.
inline constexpr std::size_t kMostSkippedBytes = std::size_t{64} * 1024 * 1024;

// The bytes up to and with the empty line that ends the head, of which the first `searched` are
// known to have none.
std::optional<std::size_t> end_of_head(std::string_view bytes, std::size_t searched = 0);

// An answer that needs nobody but this file.
struct Refusal {
  int status = 0;
  std::string why;
  bool lost = false;  // where the next request begins is not known, or not worth the way
};

struct Framing {
  std::size_t body = 0;     // bytes after the head
  bool asks_first = false;  // the client sends them after "100 Continue"
  std::optional<Refusal> refusal = std::nullopt;
};

// `head` ends with its empty line. A body of more than `max_body` bytes, a compressed one, one
// without a length, and a length that can be read in two ways are refused.
Framing framing_of(std::string_view head, std::size_t max_body);

// Why these bytes, which have no end of a head, are not the beginning of one.
std::optional<Refusal> not_a_head(std::string_view bytes);

// The bytes of the answer; 429 has Retry-After, which client-go heeds.
std::string bytes_of(const Refusal& refusal);

}  // namespace mc::observe
