#include "services/webhook/review.h"

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

// What is answered.
struct Decision {
  json response;      // without the uid and the patch
  std::string patch;  // "": none
};

api::FieldValidation field_validation(UnknownFields unknown, const AdmissionRequest& request) {
  const bool refused = unknown == UnknownFields::AreRefused ||
                       (unknown == UnknownFields::AsClientAsks && request.is_strict);
  return refused ? api::FieldValidation::Strict : api::FieldValidation::Warn;
}

// Takes the object out of the request.
Decision decide(AdmissionRequest& request, Mode mode, UnknownFields unknown,
                const api::PublishedLimits* limits) {
  if (!request.malformed.empty()) return {refused(400, "BadRequest", request.malformed), ""};
  Decision out{{{"allowed", true}}, ""};
  if (request.object.is_null()) return out;
  api::Additions additions;
  const api::Examination found = api::examine_kind(
      request.kind, std::move(request.object), request.old_object,
      field_validation(unknown, request), limits, mode == Mode::Mutate ? &additions : nullptr);
  if (found.errors.empty()) {
    out.patch = additions.patch();
  } else {
    out.response = refused(request, found.errors);
  }
  for (const std::string& warning : found.warnings) {
    out.response["warnings"].push_back(header_safe(warning));
  }
  return out;
}

AdmissionResponse encoded(Decision decision, const AdmissionRequest& request) {
  json& response = decision.response;
  AdmissionResponse answer{.body = R"({"apiVersion":"admission.k8s.io/v1",)"
                                   R"("kind":"AdmissionReview","response":)",
                           .refusal = "",
                           .uid = request.uid,
                           .operation = request.operation,
                           .name = request.name,
                           .ns = request.ns};
  if (!response.at("allowed").get<bool>()) answer.refusal = response["status"]["reason"];
  response["uid"] = request.uid;
  // Text that is quoted from a request may be cut within a character.
  answer.body += dump(response);
  if (!decision.patch.empty()) {
    answer.body.pop_back();
    answer.body += R"(,"patchType":"JSONPatch","patch":")" + base64(decision.patch) + "\"}";
  }
  answer.body += '}';
  return answer;
}

}  // namespace

AdmissionResponse review(Mode mode, std::string_view body, UnknownFields unknown,
                         const api::PublishedLimits* limits) {
  AdmissionRequest request = decode_admission_request(body);
  return encoded(decide(request, mode, unknown, limits), request);
}

AdmissionResponse failed(std::string_view body) {
  return encoded({refused(500, "InternalError", "the webhook failed to handle the request"), ""},
                 decode_admission_request(body));
}

}  // namespace mc::webhook
