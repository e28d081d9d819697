#include "services/webhook/parsed_review.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "common/base/json_reader.h"

namespace mc::webhook {
namespace {

// Each value costs up to about 150 bytes of memory in a review. Two objects from etcd, of at most
// 1.5 MiB each, have fewer.
constexpr std::size_t kMostReviewValues = 200'000;

// Counts the values and levels of JSON without loading it, and stops at the limits.
struct Measure : json::json_sax_t {
  int levels = 0;
  std::size_t values = 0;
  std::string excess;

  bool counted() {
    if (++values > kMostReviewValues) {
      excess = "JSON of more than " + std::to_string(kMostReviewValues) + " values";
    }
    return excess.empty();
  }
  bool opened() {
    if (++levels > kMaxJsonLevels) {
      excess = "JSON of more than " + std::to_string(kMaxJsonLevels) + " levels";
    }
    return counted();
  }
  bool closed() {
    --levels;
    return true;
  }
  bool null() override { return counted(); }
  bool boolean(bool /*value*/) override { return counted(); }
  bool number_integer(number_integer_t /*value*/) override { return counted(); }
  bool number_unsigned(number_unsigned_t /*value*/) override { return counted(); }
  bool number_float(number_float_t /*value*/, const string_t& /*text*/) override {
    return counted();
  }
  bool string(string_t& /*value*/) override { return counted(); }
  bool binary(binary_t& /*value*/) override { return counted(); }
  bool start_object(std::size_t /*size*/) override { return opened(); }
  bool key(string_t& /*value*/) override { return true; }
  bool end_object() override { return closed(); }
  bool start_array(std::size_t /*size*/) override { return opened(); }
  bool end_array() override { return closed(); }
  bool parse_error(std::size_t /*at*/, const std::string& /*token*/,
                   const json::exception& /*error*/) override {
    return false;
  }
};

// False for nearly every review, which is then parsed only once. A value and its separator take at
// least two bytes.
bool may_be_too_much(std::string_view body) {
  const auto opens = [](char c) { return c == '{' || c == '['; };
  return body.size() / 2 > kMostReviewValues || std::ranges::count_if(body, opens) > kMaxJsonLevels;
}

// Builds the value as json::parse does, without managedFields of the objects.
class Builder : public JsonHandler {
 public:
  bool key(std::string_view name) override {
    if (!is_wanted(name)) return false;
    auto& members = open_.back()->get_ref<json::object_t&>();
    // API servers send most members in their order.
    member_ = &members.try_emplace(members.end(), std::string(name))->second;
    return true;
  }
  void string(std::string_view text) override { scalar(text); }
  void scalar(json value) override { place() = std::move(value); }
  void start(json::value_t type) override {
    json& at = place();
    at = json(type);
    open_.push_back(&at);
  }
  void end() override { open_.pop_back(); }

  json built() && { return std::move(root_); }

 private:
  // Of a member of the innermost open object: levels are review, request, object, metadata.
  bool is_wanted(std::string_view name) const {
    return open_.size() != 4 || name != "managedFields" ||
           open_[3] != &at_path(*open_[2], {"metadata"});
  }

  // Where the next value belongs.
  json& place() {
    if (open_.empty()) return root_;
    json& inner = *open_.back();
    return inner.is_array() ? inner.emplace_back() : *member_;
  }

  json root_;
  std::vector<json*> open_;  // lists and objects, outermost first
  json* member_ = nullptr;   // the next value in the innermost open object
};

}  // namespace

std::expected<json, std::string> parse_review(std::string_view body) {
  Measure measure;
  if (may_be_too_much(body) && !json::sax_parse(body, &measure)) {
    return std::unexpected(measure.excess.empty() ? "body is not JSON" : measure.excess);
  }
  Builder builder;
  if (!read_json(body, builder)) return std::unexpected("body is not JSON");
  return std::move(builder).built();
}

}  // namespace mc::webhook
