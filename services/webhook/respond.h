#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "common/api/model/field.h"
#include "common/base/json.h"

// The metav1.Status of a refusal, in the form of the API server's own, which kubectl and client-go
// understand.
namespace mc::webhook {

inline constexpr std::string_view kReasonInvalid = "Invalid";
inline constexpr std::string_view kReasonBadRequest = "BadRequest";
inline constexpr std::string_view kReasonInternalError = "InternalError";

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

}  // namespace mc::webhook
