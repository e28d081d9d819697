#include <simdjson.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <string>
#include <utility>

#include "common/base/json.h"

namespace mc {
namespace {

std::string written_by_library(const json& value, int indent = -1) {
  return value.dump(indent, ' ', false, json::error_handler_t::replace);
}

// Whether a byte stands for itself in a text.
constexpr auto kPlain = [] {
  std::array<bool, 256> out{};
  for (std::size_t c = ' '; c < out.size(); ++c) out[c] = c != '"' && c != '\\';
  return out;
}();

// What stands for the others.
const std::array<std::string, 128>& escapes() {
  static const auto all = [] {
    std::array<std::string, 128> out;
    for (std::size_t c = 0; c < out.size(); ++c) {
      const std::string quoted = written_by_library(std::string(1, static_cast<char>(c)));
      out[c] = quoted.substr(1, quoted.size() - 2);
    }
    return out;
  }();
  return all;
}

// Writes what the library's serializer writes, which decodes each byte of a text in turn. Here
// simdjson checks whether a text is UTF-8, and all between two escapes is copied at once.
class Writer {
 public:
  void write(const json& value) {
    switch (value.type()) {
      case json::value_t::object:
        return write_object(*value.get_ptr<const json::object_t*>());
      case json::value_t::array:
        return write_array(*value.get_ptr<const json::array_t*>());
      case json::value_t::string:
        return write_text(*value.get_ptr<const std::string*>());
      case json::value_t::number_integer:
        return write_number(*value.get_ptr<const std::int64_t*>());
      case json::value_t::number_unsigned:
        return write_number(*value.get_ptr<const std::uint64_t*>());
      default:
        out_ += written_by_library(value);
    }
  }

  std::string take() { return std::move(out_); }

 private:
  void write_object(const json::object_t& members) {
    out_ += '{';
    for (const auto& [name, value] : members) {
      if (out_.back() != '{') out_ += ',';
      write_text(name);
      out_ += ':';
      write(value);
    }
    out_ += '}';
  }

  void write_array(const json::array_t& items) {
    out_ += '[';
    for (const json& item : items) {
      if (&item != &items.front()) out_ += ',';
      write(item);
    }
    out_ += ']';
  }

  void write_text(const std::string& text) {
    if (!simdjson::validate_utf8(text.data(), text.size())) {
      out_ += written_by_library(text);
      return;
    }
    out_ += '"';
    const char* const end = text.data() + text.size();
    for (const char* from = text.data();;) {
      const char* const to = std::find_if(from, end, [](unsigned char c) { return !kPlain[c]; });
      out_.append(from, to);
      if (to == end) break;
      out_ += escapes_[static_cast<unsigned char>(*to)];
      from = to + 1;
    }
    out_ += '"';
  }

  template <class Number>
  void write_number(Number number) {
    char digits[std::numeric_limits<Number>::digits10 + 2];
    out_.append(digits, std::to_chars(digits, std::end(digits), number).ptr);
  }

  const std::array<std::string, 128>& escapes_ = escapes();
  std::string out_;
};

}  // namespace

std::string dump(const json& value, int indent) {
  if (indent >= 0) return written_by_library(value, indent);
  Writer writer;
  writer.write(value);
  return writer.take();
}

}  // namespace mc
