#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "common/api/model/field.h"
#include "common/base/json.h"

// The metav1.Status of a refusal, as the API server itself would write it: kubectl and client-go
// then treat it as their own.
namespace mc::webhook {

inline constexpr std::string_view kReasonInvalid = "Invalid";
inline constexpr std::string_view kReasonBadRequest = "BadRequest";
inline constexpr std::string_view kReasonInternalError = "InternalError";

// 422 Invalid with a cause per field error; kubectl prints a bullet for each. `errors` is not
// empty.
json invalid_status(std::string_view name, const std::vector<api::FieldError>& errors);

// 400 BadRequest: the request itself is not what it should be.
json bad_request_status(std::string message);

// 500 InternalError.
json internal_error_status(std::string message);

// `MiniCluster.flux-framework.org "x" is invalid: [a, b]`; one error has no brackets, equal ones
// are said once (apimachinery's NewInvalid).
std::string invalid_message(std::string_view name, const std::vector<api::FieldError>& errors);

}  // namespace mc::webhook
