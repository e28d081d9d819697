#include "services/webhook/admission_request.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "common/api/model/names.h"
#include "common/base/json.h"
#include "common/base/text.h"
#include "services/webhook/parsed_review.h"

namespace mc::webhook {
namespace {

constexpr std::string_view kReviewVersion = "admission.k8s.io/v1";
constexpr std::string_view kReviewKind = "AdmissionReview";
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
  out.is_strict = text_at(request, {"options", "fieldValidation"}) == "Strict";
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
