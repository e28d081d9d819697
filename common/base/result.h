#pragma once
#include <expected>
#include <string>

namespace mc {

// What a caller can do about an error; retry is decided by kind, in one place.
enum class ErrorKind {
  NotFound,
  Conflict,  // somebody else wrote first: read again, decide again
  AlreadyExists,
  Invalid,  // refused as it is; the same again will be refused again
  Forbidden,
  Gone,         // a watch's resourceVersion is too old: list again
  Throttled,    // wait retry_after, then again
  Unavailable,  // no connection, time-out, 5xx
  Malformed,    // bytes that are not what they should be (JSON, PEM, YAML, a header)
};

struct Error {
  ErrorKind kind;
  std::string message;    // one sentence that names the operation: `create Job default/x: ...`
  int retry_after_s = 0;  // seconds the server asked to wait; 0: it did not ask
};

// Whatever can fail outside of us returns this. Bad user input is not an Error but a list of
// api::FieldError.
template <class T>
using Result = std::expected<T, Error>;

inline std::unexpected<Error> fail(ErrorKind kind, std::string message) {
  return std::unexpected(Error{kind, std::move(message), 0});
}

}  // namespace mc
