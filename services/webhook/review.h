#pragma once
#include <string>
#include <string_view>

#include "common/api/examine.h"

// Answers an AdmissionReview (admission.k8s.io/v1). Pure: bytes in, bytes out.
namespace mc::webhook {

enum class Mode {
  Mutate,    // answers with the patch that sets defaults; refuses an invalid object already here,
             // so that a user sees every error at once
  Validate,  // examines what other webhooks may have changed since; never patches
};

// What an unknown field in one of Kubernetes' own types is: what the client asked for (its
// fieldValidation: kubectl create, apply, replace and edit send Strict, most others nothing, which
// is a warning), or always the same.
enum class UnknownFields { AsClientAsks, AreRefused, AreWarnings };

struct AdmissionResponse {
  std::string body;     // an AdmissionReview
  std::string refusal;  // the Status reason when not allowed, else ""
  // For the log; "" if the request has none.
  std::string uid;
  std::string operation;
  std::string name;
  std::string ns;
};

// Examines CREATE and UPDATE of an object of api::kApiKinds; allows DELETE, CONNECT and
// subresources. Refuses a malformed request with code 400 and the reason. The same bytes and limits
// give the same answer, dry run or not: nothing else is read or changed.
AdmissionResponse review(Mode mode, std::string_view body,
                         UnknownFields unknown = UnknownFields::AsClientAsks,
                         const api::PublishedLimits* limits = nullptr);

// The answer if handling the request failed: refused with code 500.
AdmissionResponse failed(std::string_view body);

}  // namespace mc::webhook
