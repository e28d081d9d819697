#include "common/kube/access_review.h"

#include <openssl/sha.h>

#include <array>
#include <utility>

#include "common/base/json.h"

namespace mc::kube {
namespace {

// `what` has no name: a review has none.
Result<json> review(const Client& client, const Resource& resource, json spec) {
  Request request = request::create(
      resource,
      {{"apiVersion", api_version(resource)}, {"kind", resource.kind}, {"spec", std::move(spec)}});
  request.what = "create " + std::string(resource.kind);
  request.confidential = true;
  auto answer = client.send(request);
  if (answer && !at_path(*answer, {"status"}).is_object()) {
    return fail(ErrorKind::Malformed, request.what + ": the answer has no status");
  }
  return answer;
}

}  // namespace

Result<json> review_token(const Client& client, std::string_view token) {
  const auto answer = review(client, kTokenReviews, {{"token", token}});
  if (!answer) return std::unexpected(answer.error());
  if (at_path(*answer, {"status", "authenticated"}) != true) return json();
  const json& user = at_path(*answer, {"status", "user"});
  // Without a name the next review would have no user.
  if (text_at(user, {"username"}).empty()) return json();
  return user;
}

Result<bool> may_access(const Client& client, const json& user, std::string_view path,
                        std::string_view verb) {
  json spec = {{"nonResourceAttributes", {{"path", path}, {"verb", verb}}},
               {"user", at_path(user, {"username"})}};
  for (const char* member : {"uid", "groups", "extra"}) {
    const json& value = at_path(user, {member});
    if (!value.is_null()) spec[member] = value;
  }
  const auto answer = review(client, kSubjectAccessReviews, std::move(spec));
  if (!answer) return std::unexpected(answer.error());
  return at_path(*answer, {"status", "allowed"}) == true;
}

Result<bool> may_i(const Client& client, const json& attributes) {
  const auto answer =
      review(client, kSelfSubjectAccessReviews, {{"resourceAttributes", attributes}});
  if (!answer) return std::unexpected(answer.error());
  return at_path(*answer, {"status", "allowed"}) == true;
}

std::string token_digest(std::string_view token) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  SHA256(reinterpret_cast<const unsigned char*>(token.data()), token.size(), digest.data());
  return {digest.begin(), digest.end()};
}

}  // namespace mc::kube
