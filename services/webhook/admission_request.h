#pragma once
#include <string>
#include <string_view>

#include "common/base/json.h"

namespace mc::webhook {

// The request in an AdmissionReview (admission.k8s.io/v1 AdmissionRequest).
struct AdmissionRequest {
  // As far as the request has them, malformed or not.
  std::string uid, operation, ns;
  std::string name;  // else metadata.name or generateName of the object
  // Why the request cannot be answered, for its sender; "" if it can.
  std::string malformed;
  std::string kind;  // of `object`, one of api::kApiKinds; "" if there is none
  // The object to create, or as it is after an update; null: nothing to examine.
  json object;
  json old_object;         // before an update, else null
  bool is_strict = false;  // the client asked to refuse unknown fields
};

// Decodes an AdmissionReview. Only CREATE and UPDATE of an object of api::kApiKinds have one to
// examine; DELETE, CONNECT and subresources do not. JSON with too many values or levels is
// malformed and is not loaded.
AdmissionRequest decode_admission_request(std::string_view body);

}  // namespace mc::webhook
