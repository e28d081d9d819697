#include "services/webhook/admission_request.h"

#include <algorithm>
#include <expected>
#include <utility>
#include <vector>

#include "common/api/model/names.h"
#include "common/base/json.h"
#include "common/base/text.h"

namespace mc::webhook {
namespace {

constexpr std::string_view kReviewVersion = "admission.k8s.io/v1";
constexpr std::string_view kReviewKind = "AdmissionReview";
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

// The bytes as JSON, or the error.
std::expected<json, std::string> parse_review(std::string_view body) {
  Measure measure;
  if (may_be_too_much(body) && !json::sax_parse(body, &measure)) {
    return std::unexpected(measure.excess.empty() ? "body is not JSON" : measure.excess);
  }
  json value = json::parse(body, nullptr, false);
  if (value.is_discarded()) return std::unexpected("body is not JSON");
  return value;
}

// The member; null if it is absent or not an object.
json* object_member(json& object, const char* member) {
  const auto found = object.is_object() ? object.find(member) : object.end();
  return found != object.end() && found->is_object() ? &*found : nullptr;
}

// `flux-framework.org/v1alpha2 MiniCluster`, as far as the request has it.
std::string described(const json& kind) {
  return text_at(kind, {"group"}) + "/" + text_at(kind, {"version"}) + " " +
         text_at(kind, {"kind"});
}

// Why this is not a review with a request; "" if it is one.
std::string not_a_review(const json& review) {
  if (!review.is_object()) return "body is not a JSON object";
  const std::string version = text_at(review, {"apiVersion"}), kind = text_at(review, {"kind"});
  if (version != kReviewVersion || kind != kReviewKind) {
    return "body is \"" + version + "\" \"" + kind + "\", must be " + std::string(kReviewVersion) +
           " " + std::string(kReviewKind);
  }
  const json& request = at_path(review, {"request"});
  if (!request.is_object()) return "request is missing";
  return text_at(request, {"uid"}).empty() ? "request.uid is missing" : "";
}

bool has_object(const std::string& operation, const json& request) {
  return (operation == "CREATE" || operation == "UPDATE") &&
         text_at(request, {"subResource"}).empty();
}

// Why the operation is not known; "" if it is.
std::string bad_operation(const std::string& operation) {
  if (operation.empty()) return "request.operation is missing";
  static constexpr std::string_view kKnown[] = {"CREATE", "UPDATE", "DELETE", "CONNECT"};
  if (std::ranges::find(kKnown, operation) != std::end(kKnown)) return "";
  return "request.operation is \"" + operation + "\", must be CREATE, UPDATE, DELETE or CONNECT";
}

// Why the request is not about one of our kinds; "" if it is.
std::string bad_kind(const json& kind) {
  if (!kind.is_object()) return "request.kind is missing";
  if (text_at(kind, {"group"}) == api::kGroup && text_at(kind, {"version"}) == api::kVersion &&
      api::is_api_kind(text_at(kind, {"kind"}))) {
    return "";
  }
  const std::vector<std::string> kinds(api::kApiKinds.begin(), api::kApiKinds.end());
  return "request.kind is " + described(kind) + ", must be " + std::string(api::kApiVersion) + " " +
         joined(kinds, " or ");
}

// Moves the objects to examine out of `request`; returns what is wrong, or "".
std::string take_objects(json& request, AdmissionRequest& out) {
  if (std::string why = bad_kind(at_path(request, {"kind"})); !why.empty()) return why;
  json* object = object_member(request, "object");
  if (object == nullptr) return "request.object is missing";
  json* old_object = out.operation == "UPDATE" ? object_member(request, "oldObject") : nullptr;
  if (out.operation == "UPDATE" && old_object == nullptr) return "request.oldObject is missing";
  out.kind = text_at(request, {"kind", "kind"});
  out.object = std::move(*object);
  if (old_object != nullptr) out.old_object = std::move(*old_object);
  return "";
}

}  // namespace

AdmissionRequest decode_admission_request(std::string_view body) {
  AdmissionRequest out;
  auto review = parse_review(body);
  if (!review) {
    out.malformed = std::move(review.error());
    return out;
  }
  if (json* request = object_member(*review, "request")) {
    out.uid = text_at(*request, {"uid"});
    out.operation = text_at(*request, {"operation"});
    out.ns = text_at(*request, {"namespace"});
    out.name = text_at(*request, {"name"});
    if (out.name.empty()) out.name = api::name_of(at_path(*request, {"object"}));
  }
  out.malformed = not_a_review(*review);
  if (out.malformed.empty()) out.malformed = bad_operation(out.operation);
  if (!out.malformed.empty()) return out;
  json& request = review->at("request");
  if (has_object(out.operation, request)) out.malformed = take_objects(request, out);
  return out;
}

}  // namespace mc::webhook
