#include "services/webhook/review.h"

#include <utility>

#include "common/base/base64.h"
#include "common/base/json.h"
#include "common/base/text.h"
#include "services/webhook/admission_request.h"
#include "services/webhook/respond.h"

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

json refused(json status) { return {{"allowed", false}, {"status", std::move(status)}}; }

// The member `response` of the answer, without the uid.
json response_to(const AdmissionRequest& request, Mode mode, api::FieldValidation fields) {
  if (!request.malformed.empty()) return refused(bad_request_status(request.malformed));
  if (request.object.is_null()) return {{"allowed", true}};
  const api::Examination found = api::examine(request.object, request.old_object, fields);
  json response = {{"allowed", found.errors.empty()}};
  if (!found.errors.empty()) {
    response["status"] = invalid_status(request.name, found.errors);
  } else if (mode == Mode::Mutate) {
    if (const json patch = additions(request.object, found.defaulted); !patch.empty()) {
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

AdmissionResponse review(Mode mode, std::string_view body, api::FieldValidation fields) {
  const AdmissionRequest request = decode_admission_request(body);
  return encoded(response_to(request, mode, fields), request);
}

AdmissionResponse failed(std::string_view body) {
  return encoded(refused(internal_error_status("the webhook failed to handle the request")),
                 decode_admission_request(body));
}

}  // namespace mc::webhook
