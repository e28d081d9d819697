#pragma once
#include <string_view>

#include "common/base/json.h"
#include "common/base/result.h"
#include "common/kube/request.h"

namespace mc::kube {

struct Response {
  int status = 0;
  std::string body;
  int retry_after_s = 0;  // Retry-After; 0: not given
};

// The kind of a refusal. `code` and `reason` are those of a metav1.Status.
ErrorKind kind_of(int code, std::string_view reason);

// "create Job default/x: 409 AlreadyExists: jobs.batch "x" already exists": the operation, the code
// and the API server's message. For a confidential request, errors 400 and 422 name only the
// fields.
Error api_error(const Request& request, const Response& response);

// The same for a metav1.Status received in a watch.
Error api_error(const Request& request, const json& status);

}  // namespace mc::kube
