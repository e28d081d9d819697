#pragma once
#include <stdexcept>
#include <string>
#include <utility>

namespace mc::test {

// What the error of a Result, of a command line or of an HTTP client says.
template <class Error>
std::string words_of(const Error& error) {
  if constexpr (requires { error.message; }) {
    return error.message;
  } else if constexpr (requires { error.text; }) {
    return error.text;
  } else {
    return to_string(error);
  }
}

// The value of a Result, an optional or an HTTP client's answer. Without one, the test ends and
// fails with the error's words.
template <class Result>
auto must(Result result) {
  if (result) return *std::move(result);
  if constexpr (requires { result.error(); }) {
    throw std::runtime_error(words_of(result.error()));
  } else {
    throw std::runtime_error("no value");
  }
}

}  // namespace mc::test
