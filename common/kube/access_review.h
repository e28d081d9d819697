#pragma once
#include <string>
#include <string_view>

#include "common/base/json.h"
#include "common/base/result.h"
#include "common/kube/client.h"

// What the API server says of others: whose a token is, and what they may do. Neither create stores
// anything, so both are reads to us: a follower may ask, too.
namespace mc::kube {

inline constexpr Resource kTokenReviews{"authentication.k8s.io", "v1", "tokenreviews",
                                        "TokenReview", false};
inline constexpr Resource kSubjectAccessReviews{
    "authorization.k8s.io", "v1", "subjectaccessreviews", "SubjectAccessReview", false};

// Whose the bearer token is: `username`, `uid`, `groups` and `extra`; null for a token that is
// nobody's. No error holds the token.
[[nodiscard]] Result<json> review_token(const Client& client, std::string_view token);

// Whether that user may do `verb` with a path that is no resource's, `/metrics` say.
[[nodiscard]] Result<bool> may_access(const Client& client, const json& user, std::string_view path,
                                      std::string_view verb);

// SHA-256, to know a token again without keeping it.
std::string token_digest(std::string_view token);

}  // namespace mc::kube
