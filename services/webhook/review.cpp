#include "services/webhook/review.h"

#include <algorithm>
#include <expected>
#include <optional>
#include <utility>

#include "common/api/manifest.h"
#include "common/api/model/names.h"
#include "common/base/base64.h"
#include "common/base/json.h"
#include "common/base/json_path.h"
#include "common/base/utf8.h"
#include "services/webhook/patch.h"
#include "services/webhook/respond.h"

namespace mc::webhook {
namespace {

constexpr std::string_view kReviewVersion = "admission.k8s.io/v1";
constexpr std::string_view kReviewKind = "AdmissionReview";
// Each costs up to some 150 bytes of memory while it is reviewed, and the objects of etcd, two of
// at most 1.5 MiB, have fewer.
constexpr std::size_t kMostValues = 200'000;
// The API server cuts longer ones when there are many.
constexpr std::size_t kLongestWarning = 256;

// Goes through JSON without making anything of it, and ends where it is too much.
struct Measure : json::json_sax_t {
  int levels = 0;
  std::size_t values = 0;
  std::string excess;

  bool counted() {
    if (++values > kMostValues) {
      excess = "JSON of more than " + std::to_string(kMostValues) + " values";
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

// False for nearly every review, which is then read once. A value and what ends it are two bytes.
bool may_be_too_much(std::string_view body) {
  const auto opens = [](char c) { return c == '{' || c == '['; };
  return body.size() / 2 > kMostValues || std::ranges::count_if(body, opens) > kMaxJsonLevels;
}

// The bytes as JSON, or what is wrong with them.
std::expected<json, std::string> decode(std::string_view body) {
  Measure measure;
  if (may_be_too_much(body) && !json::sax_parse(body, &measure)) {
    return std::unexpected(measure.excess.empty() ? "body is not JSON" : measure.excess);
  }
  json value = json::parse(body, nullptr, false);
  if (value.is_discarded()) return std::unexpected("body is not JSON");
  return value;
}

// The member as an object; null where it is absent or none.
const json* object_member(const json& object, const char* member) {
  const json& value = at_path(object, {member});
  return value.is_object() ? &value : nullptr;
}

// What a request asks, once it is known to be one.
struct Question {
  const json* object = nullptr;  // null: nothing to examine
  const json* old = nullptr;     // null on create
};

// `Kind flux-framework.org/v1alpha2 MiniCluster`, as far as it is said.
std::string described(const json& kind) {
  return text_at(kind, {"group"}) + "/" + text_at(kind, {"version"}) + " " +
         text_at(kind, {"kind"});
}

std::expected<Question, std::string> question(const json& request) {
  const std::string operation = text_at(request, {"operation"});
  if (operation.empty()) return std::unexpected("request.operation is missing");
  if (operation == "DELETE" || operation == "CONNECT") return Question{};
  if (operation != "CREATE" && operation != "UPDATE") {
    return std::unexpected("request.operation is \"" + operation +
                           "\", must be CREATE, UPDATE, DELETE or CONNECT");
  }
  if (!text_at(request, {"subResource"}).empty()) return Question{};
  const json* kind = object_member(request, "kind");
  if (kind == nullptr) return std::unexpected("request.kind is missing");
  if (text_at(*kind, {"group"}) != api::kGroup || text_at(*kind, {"version"}) != api::kVersion ||
      text_at(*kind, {"kind"}) != api::kKind) {
    return std::unexpected("request.kind is " + described(*kind) + ", must be " +
                           std::string(api::kApiVersion) + " " + std::string(api::kKind));
  }
  const json* object = object_member(request, "object");
  if (object == nullptr) return std::unexpected("request.object is missing");
  const json* old = operation == "UPDATE" ? object_member(request, "oldObject") : nullptr;
  if (operation == "UPDATE" && old == nullptr) {
    return std::unexpected("request.oldObject is missing");
  }
  return Question{object, old};
}

// The request inside a review, or what is wrong with the review.
std::expected<const json*, std::string> request_of(const json& review) {
  if (!review.is_object()) return std::unexpected("body is not a JSON object");
  const std::string version = text_at(review, {"apiVersion"}), kind = text_at(review, {"kind"});
  if (version != kReviewVersion || kind != kReviewKind) {
    return std::unexpected("body is \"" + version + "\" \"" + kind + "\", must be " +
                           std::string(kReviewVersion) + " " + std::string(kReviewKind));
  }
  const json* request = object_member(review, "request");
  if (request == nullptr) return std::unexpected("request is missing");
  if (text_at(*request, {"uid"}).empty()) return std::unexpected("request.uid is missing");
  return request;
}

// A warning as an HTTP header can carry it: no control characters, cut between two characters.
std::string header_safe(std::string warning) {
  warning = api::printable(std::move(warning));
  if (warning.size() <= kLongestWarning) return warning;
  constexpr std::string_view kCut = "...";
  return std::string(cut_utf8(warning, kLongestWarning - kCut.size())).append(kCut);
}

json examined(Mode mode, const Question& asked, const std::string& name,
              api::FieldValidation fields) {
  if (asked.object == nullptr) return {{"allowed", true}};
  const api::Examination found =
      api::examine(*asked.object, asked.old == nullptr ? json() : *asked.old, fields);
  json response = {{"allowed", found.errors.empty()}};
  if (!found.errors.empty()) {
    response["status"] = invalid_status(name, found.errors);
  } else if (mode == Mode::Mutate) {
    if (const json patch = additions(*asked.object, found.defaulted); !patch.empty()) {
      response["patchType"] = "JSONPatch";
      response["patch"] = base64(patch.dump());
    }
  }
  for (const std::string& warning : found.warnings) {
    response["warnings"].push_back(header_safe(warning));
  }
  return response;
}

Answer written(json response, Answer answer) {
  if (!response.at("allowed").get<bool>()) answer.refusal = response["status"]["reason"];
  response["uid"] = answer.uid;
  const json review = {
      {"apiVersion", kReviewVersion}, {"kind", kReviewKind}, {"response", std::move(response)}};
  // What is quoted of a request may be cut in the middle of a character.
  answer.body = review.dump(-1, ' ', false, json::error_handler_t::replace);
  return answer;
}

json refused(json status) { return {{"allowed", false}, {"status", std::move(status)}}; }

// What the answer says of any request, understood or not.
Answer about(const json& review) {
  Answer answer;
  const json* request = object_member(review, "request");
  if (request == nullptr) return answer;
  answer.uid = text_at(*request, {"uid"});
  answer.operation = text_at(*request, {"operation"});
  answer.namespace_ = text_at(*request, {"namespace"});
  answer.name = text_at(*request, {"name"});
  if (const json* object = object_member(*request, "object"); answer.name.empty() && object) {
    answer.name = api::name_of(*object);
  }
  return answer;
}

}  // namespace

Answer review(Mode mode, std::string_view body, api::FieldValidation fields) {
  const auto decoded = decode(body);
  if (!decoded) return written(refused(bad_request_status(decoded.error())), {});
  Answer answer = about(*decoded);
  const auto request = request_of(*decoded);
  if (!request) {
    return written(refused(bad_request_status(request.error())), std::move(answer));
  }
  const auto asked = question(**request);
  if (!asked) return written(refused(bad_request_status(asked.error())), std::move(answer));
  json response = examined(mode, *asked, answer.name, fields);
  return written(std::move(response), std::move(answer));
}

Answer failed(std::string_view body) {
  const auto decoded = decode(body);
  return written(refused(internal_error_status("the webhook failed to handle the request")),
                 decoded ? about(*decoded) : Answer());
}

}  // namespace mc::webhook
