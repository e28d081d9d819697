#include "common/kube/api_error.h"

#include <algorithm>
#include <string>

#include "common/base/json.h"

namespace mc::kube {
namespace {

// Bytes shown of an answer that is not a Status, such as a proxy's page.
constexpr std::size_t kMaxForeignText = 200;

std::string fields_of(const json& status) {
  std::string fields;
  for (const json& cause : items_at(status, {"details", "causes"})) {
    fields += (fields.empty() ? "" : ", ") + text_at(cause, {"field"});
  }
  return fields.empty() ? "refused" : "refused for " + fields;
}

// A watch at a version that the API server does not have, for example after its etcd was restored.
// It will not arrive, so list again.
bool version_is_ahead(const json& status) {
  for (const json& cause : items_at(status, {"details", "causes"})) {
    if (text_at(cause, {"reason"}) == "ResourceVersionTooLarge") return true;
  }
  return false;
}

// With OwnerReferencesPermissionEnforcement, the API server asks whether we may block the owner's
// deletion. For half a minute after a CRD is installed it does not know the owner's kind; its 403
// then is not about permissions.
bool kind_is_unknown_yet(std::string_view message) {
  return message.find("cannot find RESTMapping") != std::string_view::npos;
}

ErrorKind kind_of_status(const json& status, int code) {
  if (version_is_ahead(status)) return ErrorKind::Gone;
  if (code == 403 && kind_is_unknown_yet(text_at(status, {"message"}))) {
    return ErrorKind::Unavailable;
  }
  return kind_of(code, text_at(status, {"reason"}));
}

Error error_of(const Request& request, const json& status, int code, int retry_after_s) {
  const auto reason = text_at(status, {"reason"});
  const bool quoted = !(request.confidential && (code == 400 || code == 422));
  std::string message = request.what + ": " + std::to_string(code);
  if (!reason.empty()) message += " " + reason;
  const auto words = quoted ? text_at(status, {"message"}) : fields_of(status);
  if (!words.empty()) message += ": " + words;
  const auto asked = static_cast<int>(integer_at(status, {"details", "retryAfterSeconds"}));
  return Error{kind_of_status(status, code), std::move(message),
               std::max({retry_after_s, asked, 0})};
}

}  // namespace

ErrorKind kind_of(int code, std::string_view reason) {
  switch (code) {
    case 401:
    case 403:
      return ErrorKind::Forbidden;
    case 404:
      return ErrorKind::NotFound;
    case 408:
      return ErrorKind::Unavailable;
    case 409:
      return reason == "AlreadyExists" ? ErrorKind::AlreadyExists : ErrorKind::Conflict;
    case 410:
      return ErrorKind::Gone;
    case 429:
      return ErrorKind::Throttled;
    default:
      if (code >= 400 && code < 500) return ErrorKind::Invalid;
      return code >= 500 ? ErrorKind::Unavailable : ErrorKind::Malformed;
  }
}

Error api_error(const Request& request, const Response& response) {
  const auto status = json::parse(response.body, nullptr, false);
  if (status.is_object() && text_at(status, {"kind"}) == "Status") {
    return error_of(request, status, response.status, response.retry_after_s);
  }
  json foreign = json::object();
  if (!request.confidential) {
    auto text = response.body.substr(0, kMaxForeignText);
    text.erase(text.find_last_not_of(" \r\n") + 1);
    foreign["message"] = text;
  }
  return error_of(request, foreign, response.status, response.retry_after_s);
}

Error api_error(const Request& request, const json& status) {
  return error_of(request, status, static_cast<int>(integer_at(status, {"code"})), 0);
}

}  // namespace mc::kube
