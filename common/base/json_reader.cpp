#include "common/base/json_reader.h"

#include <simdjson.h>

#include <string>
#include <utility>

namespace mc {
namespace {

// simdjson needs up to 12 bytes of memory for each byte; a page of a list may have 75 MiB. Nearly
// every review and watch event is shorter, and so is a page of 50 Jobs.
constexpr std::size_t kMostFast = std::size_t{512} << 10;
// For texts up to this, each thread keeps its buffers: to allocate and free them takes longer than
// to parse.
constexpr std::size_t kMostKept = std::size_t{16} << 10;

// Passes nlohmann's events on, without those of values that the handler leaves out.
class Events : public json::json_sax_t {
 public:
  explicit Events(JsonHandler& out) : out_(out) {}

  bool null() override { return scalar(nullptr); }
  bool boolean(bool value) override { return scalar(value); }
  bool number_integer(number_integer_t value) override { return scalar(value); }
  bool number_unsigned(number_unsigned_t value) override { return scalar(value); }
  bool number_float(number_float_t value, const string_t& /*text*/) override {
    return scalar(value);
  }
  bool string(string_t& value) override {
    if (!leaves_out()) out_.string(value);
    return true;
  }
  bool binary(binary_t& /*value*/) override { return false; }  // JSON has none
  bool start_object(std::size_t /*size*/) override { return start(json::value_t::object); }
  bool start_array(std::size_t /*size*/) override { return start(json::value_t::array); }
  bool end_object() override { return end(); }
  bool end_array() override { return end(); }
  bool key(string_t& name) override {
    leaves_out_next_ = levels_left_out_ == 0 && !out_.key(name);
    return true;
  }
  bool parse_error(std::size_t /*at*/, const std::string& /*token*/,
                   const json::exception& /*error*/) override {
    return false;
  }

 private:
  // Whether the value that begins is left out.
  bool leaves_out() { return std::exchange(leaves_out_next_, false) || levels_left_out_ > 0; }

  bool scalar(json value) {
    if (!leaves_out()) out_.scalar(std::move(value));
    return true;
  }
  bool start(json::value_t type) {
    if (leaves_out()) {
      ++levels_left_out_;
    } else {
      out_.start(type);
    }
    return true;
  }
  bool end() {
    if (levels_left_out_ > 0) {
      --levels_left_out_;
    } else {
      out_.end();
    }
    return true;
  }

  JsonHandler& out_;
  bool leaves_out_next_ = false;
  std::size_t levels_left_out_ = 0;  // that are open
};

json number_of(std::int64_t value) {
  return value < 0 ? json(value) : json(static_cast<std::uint64_t>(value));  // as nlohmann's parser
}

// Recurses once per level; simdjson accepts 1,024.
void pass(const simdjson::dom::element& value, JsonHandler& out) {
  using Type = simdjson::dom::element_type;
  switch (value.type()) {
    case Type::OBJECT:
      out.start(json::value_t::object);
      for (const auto member : simdjson::dom::object(value)) {
        if (out.key(member.key)) pass(member.value, out);
      }
      return out.end();
    case Type::ARRAY:
      out.start(json::value_t::array);
      for (const auto entry : simdjson::dom::array(value)) pass(entry, out);
      return out.end();
    case Type::STRING:
      return out.string(value.get_string().value_unsafe());
    case Type::INT64:
      return out.scalar(number_of(value.get_int64().value_unsafe()));
    case Type::UINT64:
      return out.scalar(value.get_uint64().value_unsafe());
    case Type::DOUBLE:
      return out.scalar(value.get_double().value_unsafe());
    case Type::BOOL:
      return out.scalar(value.get_bool().value_unsafe());
    case Type::NULL_VALUE:
      return out.scalar(nullptr);
  }
}

// False: nlohmann's parser is to decide, about what is not JSON, numbers that need more than 64
// bits, more than 1,024 levels, and halves of surrogate pairs, some of which simdjson 3.0 accepts.
bool read_fast(std::string_view text, JsonHandler& handler) {
  if (text.size() > kMostFast) return false;
  if (text.contains("\\ud") || text.contains("\\uD")) return false;
  thread_local simdjson::dom::parser kept;
  simdjson::dom::parser made;
  simdjson::dom::parser& parser = text.size() <= kMostKept ? kept : made;
  simdjson::dom::element root;
  if (parser.parse(text.data(), text.size()).get(root) != simdjson::SUCCESS) return false;
  pass(root, handler);
  return true;
}

}  // namespace

bool read_json(std::string_view text, JsonHandler& handler) {
  if (read_fast(text, handler)) return true;
  Events events(handler);
  return json::sax_parse(text, &events);
}

}  // namespace mc
