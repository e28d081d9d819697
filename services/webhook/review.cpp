#include "services/webhook/review.h"

#include <optional>
#include <string_view>
#include <utility>

#include "common/api/model/names.h"
#include "common/base/base64.h"
#include "common/base/json.h"
#include "common/base/text.h"
#include "services/webhook/admission_request.h"

namespace mc::webhook {
namespace {

// The API server cuts longer warnings if there are many.
constexpr std::size_t kLongestWarning = 256;

// A warning for an HTTP header: without control characters, cut between two characters.
std::string header_safe(std::string warning) {
  warning = one_line(std::move(warning));
  if (warning.size() <= kLongestWarning) return warning;
  constexpr std::string_view kCut = "...";
  return std::string(cut_utf8(warning, kLongestWarning - kCut.size())).append(kCut);
}

// A metav1.Status, which kubectl and client-go understand.
json refused(int code, std::string_view reason, std::string message) {
  return {{"allowed", false},
          {"status",
           {{"apiVersion", "v1"},
            {"kind", "Status"},
            {"metadata", json::object()},
            {"status", "Failure"},
            {"reason", reason},
            {"code", code},
            {"message", std::move(message)}}}};
}

// With a cause per error; kubectl prints a bullet for each. The message is that of apimachinery's
// NewInvalid.
json refused(const AdmissionRequest& request, const api::FieldErrors& errors) {
  const std::string who =
      request.kind + "." + std::string(api::kGroup) + " \"" + request.name + "\"";
  json response = refused(422, "Invalid", who + " is invalid: " + api::to_string(errors));
  json causes = json::array();
  for (const api::FieldError& error : errors) causes.push_back(api::cause_of(error));
  response["status"]["details"] = {{"name", request.name},
                                   {"group", api::kGroup},
                                   {"kind", request.kind},
                                   {"causes", std::move(causes)}};
  return response;
}

// An object with nothing but the member `spec` of `object`, if that has one, which is taken out of
// it.
json take_spec(json& object) {
  json out = json::object();
  const auto spec = object.find("spec");
  if (spec != object.end()) out["spec"] = std::move(*spec);
  return out;
}

// The position of a walk; its JSON pointer is built only for a difference.
struct Position {
  const Position* above = nullptr;  // null: the root
  std::string_view name{};          // of a member
  std::optional<std::size_t> index{};

  json::json_pointer pointer() const {
    if (above == nullptr) return json::json_pointer();
    json::json_pointer out = above->pointer();
    out.push_back(index ? std::to_string(*index) : std::string(name));
    return out;
  }
};

void add_operation(const char* operation, const Position& at, const json& value, json& out) {
  out.push_back({{"op", operation}, {"path", at.pointer().to_string()}, {"value", value}});
}

void add_operations(const json& from, const json& to, const Position& at, json& out) {
  if (from.is_object() && to.is_object()) {
    for (const auto& [name, value] : from.items()) {
      const auto found = to.find(name);
      if (found != to.end()) add_operations(value, *found, {&at, name}, out);
    }
    for (const auto& [name, value] : to.items()) {
      if (!from.contains(name)) add_operation("add", {&at, name}, value, out);
    }
  } else if (from.is_array() && to.is_array()) {
    for (std::size_t i = 0; i < to.size(); ++i) {
      if (i < from.size()) {
        add_operations(from[i], to[i], {&at, "", i}, out);
      } else {
        add_operation("add", {&at, "-"}, to[i], out);
      }
    }
  } else if (from != to) {
    add_operation("replace", at, to, out);
  }
}

// The member `response` of the answer, without the uid. Takes the object out of the request.
json response_to(AdmissionRequest& request, Mode mode, api::FieldValidation fields,
                 const api::PublishedLimits* limits) {
  if (!request.malformed.empty()) return refused(400, "BadRequest", request.malformed);
  if (request.object.is_null()) return {{"allowed", true}};
  json before;  // for a patch: defaults are set below spec only
  if (mode == Mode::Mutate) {
    before = take_spec(request.object);
    if (before.contains("spec")) request.object["spec"] = before["spec"];
  }
  api::Examination found = api::examine_kind(request.kind, std::move(request.object),
                                             request.old_object, fields, limits);
  json response = {{"allowed", true}};
  if (!found.errors.empty()) {
    response = refused(request, found.errors);
  } else if (mode == Mode::Mutate) {
    const json patch = additions(before, take_spec(found.defaulted));
    if (!patch.empty()) {
      response["patchType"] = "JSONPatch";
      response["patch"] = base64(patch.dump());
    }
  }
  for (const std::string& warning : found.warnings) {
    response["warnings"].push_back(header_safe(warning));
  }
  return response;
}

AdmissionResponse encoded(json response, const AdmissionRequest& request) {
  AdmissionResponse answer{.body = "",
                           .refusal = "",
                           .uid = request.uid,
                           .operation = request.operation,
                           .name = request.name,
                           .ns = request.ns};
  if (!response.at("allowed").get<bool>()) answer.refusal = response["status"]["reason"];
  response["uid"] = request.uid;
  const json review = {{"apiVersion", "admission.k8s.io/v1"},
                       {"kind", "AdmissionReview"},
                       {"response", std::move(response)}};
  // Text that is quoted from a request may be cut within a character.
  answer.body = dump(review);
  return answer;
}

}  // namespace

AdmissionResponse review(Mode mode, std::string_view body, api::FieldValidation fields,
                         const api::PublishedLimits* limits) {
  AdmissionRequest request = decode_admission_request(body);
  return encoded(response_to(request, mode, fields, limits), request);
}

AdmissionResponse failed(std::string_view body) {
  return encoded(refused(500, "InternalError", "the webhook failed to handle the request"),
                 decode_admission_request(body));
}

json additions(const json& from, const json& to) {
  json out = json::array();
  add_operations(from, to, {}, out);
  return out;
}

}  // namespace mc::webhook
