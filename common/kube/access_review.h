#pragma once
#include <string>
#include <string_view>

#include "common/base/json.h"
#include "common/base/result.h"
#include "common/kube/client.h"

// Authentication and authorization of clients by the API server. Neither review is stored, so both
// count as reads: a follower may create them, too.
namespace mc::kube {

inline constexpr Resource kTokenReviews{"authentication.k8s.io", "v1", "tokenreviews",
                                        "TokenReview", false};
inline constexpr Resource kSubjectAccessReviews{
    "authorization.k8s.io", "v1", "subjectaccessreviews", "SubjectAccessReview", false};
inline constexpr Resource kSelfSubjectAccessReviews{
    "authorization.k8s.io", "v1", "selfsubjectaccessreviews", "SelfSubjectAccessReview", false};

// The user of the bearer token: `username`, `uid`, `groups` and `extra`; null if the token is
// unknown. Errors never contain the token.
[[nodiscard]] Result<json> review_token(const Client& client, std::string_view token);

// Whether that user may do `verb` on a non-resource path such as `/metrics`.
[[nodiscard]] Result<bool> may_access(const Client& client, const json& user, std::string_view path,
                                      std::string_view verb);

// Whether the client itself may do that: the resourceAttributes of a SelfSubjectAccessReview.
[[nodiscard]] Result<bool> may_i(const Client& client, const json& attributes);

// SHA-256, to recognize a token without storing it.
std::string token_digest(std::string_view token);

}  // namespace mc::kube
