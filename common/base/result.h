#pragma once
#include <expected>
#include <string>
#include <utility>

namespace mc {

// What a caller can do about an error; the kind alone decides whether to retry.
enum class ErrorKind {
  NotFound,
  Conflict,  // another client wrote first: read again, decide again
  AlreadyExists,
  Invalid,  // refused; the same request will be refused again
  Forbidden,
  Gone,         // a watch's resourceVersion is too old: list again
  Throttled,    // wait retry_after_s, then retry
  Unavailable,  // no connection, time-out, 5xx
  Malformed,    // invalid bytes (JSON, PEM, YAML, a header)
};

struct Error {
  ErrorKind kind;
  std::string message;    // one sentence that names the operation: `create Job default/x: ...`
  int retry_after_s = 0;  // seconds the server asked to wait; 0: it did not ask
};

// Returned by everything that can fail for external reasons. Invalid user input is not an Error but
// a list of api::FieldError.
template <class T>
using Result = std::expected<T, Error>;

// Moves the value of `result` to `to`, or returns the error.
template <class T>
[[nodiscard]] Result<void> assign_or_return(Result<T> result, T& to) {
  if (!result) return std::unexpected(std::move(result.error()));
  to = *std::move(result);
  return {};
}

// Whether the same request may succeed a moment later.
inline bool may_pass(const Error& error) {
  return error.kind == ErrorKind::Unavailable || error.kind == ErrorKind::Throttled;
}

inline std::unexpected<Error> fail(ErrorKind kind, std::string message) {
  return std::unexpected(Error{kind, std::move(message), 0});
}

}  // namespace mc
