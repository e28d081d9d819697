#pragma once
#include <string>
#include <string_view>

#include "common/base/json.h"

namespace mc::webhook {

// What an AdmissionReview asks (admission.k8s.io/v1 AdmissionRequest), read once.
struct AdmissionRequest {
  // As far as the request says them, understood or not.
  std::string uid, operation, ns;
  std::string name;  // that of the object, where the API server is still to make it
  // Why it is no request that can be answered, in words for its sender; "" where it is one.
  std::string malformed;
  // The MiniCluster that is created, or is there after an update; null: nothing to examine.
  json object;
  json old_object;  // before an update, else null
};

// From the bytes of an AdmissionReview. CREATE and UPDATE of a MiniCluster have something to
// examine; DELETE, CONNECT and subresources have not. JSON of too many values or levels is
// malformed, and nothing is made of it.
AdmissionRequest decode_admission_request(std::string_view body);

}  // namespace mc::webhook
