#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "common/api/model/field.h"
#include "common/base/json.h"

// What an AdmissionReview is answered with: the metav1.Status of a refusal, in the form of the API
// server's own, which kubectl and client-go understand, and the patch.
namespace mc::webhook {

// 422 Invalid with a cause per field error; kubectl prints a bullet for each. `errors` must not be
// empty.
json invalid_status(std::string_view name, const std::vector<api::FieldError>& errors);

// 400 BadRequest: the request is malformed.
json bad_request_status(std::string message);

// 500 InternalError.
json internal_error_status(std::string message);

// `MiniCluster.flux-framework.org "x" is invalid: [a, b]`. A single error has no brackets, and
// duplicates are left out (as in apimachinery's NewInvalid).
std::string invalid_message(std::string_view name, const std::vector<api::FieldError>& errors);

// The RFC 6902 operations that turn `from` into `to`, without `remove`: what a user wrote stays,
// and so do fields unknown to this version. Empty array: nothing to do.
json additions(const json& from, const json& to);

}  // namespace mc::webhook
