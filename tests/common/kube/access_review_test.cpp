#include "common/kube/access_review.h"

#include <gtest/gtest.h>

#include "tests/common/kube/fixed_answer.h"

namespace mc::kube {
namespace {

const json kUser = {{"username", "u"}, {"uid", "1"}, {"groups", {"g"}}, {"extra", {{"k", {"v"}}}}};

TEST(TokenReview, SendsTheTokenAndSaysWhoseItIs) {
  FixedAnswer api(created({{"authenticated", true}, {"user", kUser}}));
  EXPECT_EQ(review_token(Client(api), "secret").value(), kUser);
  ASSERT_EQ(api.asked.size(), 1U);
  EXPECT_EQ(api.asked[0].method, "POST");
  EXPECT_EQ(api.asked[0].path, "/apis/authentication.k8s.io/v1/tokenreviews");
  EXPECT_EQ(json::parse(api.asked[0].body), json::parse(R"({
    "apiVersion": "authentication.k8s.io/v1", "kind": "TokenReview",
    "spec": {"token": "secret"}})"));
}

TEST(TokenReview, OfATokenThatIsNobodysIsNull) {
  for (const json& status :
       {json{{"error", "invalid bearer token"}}, json{{"authenticated", false}, {"user", kUser}},
        json{{"authenticated", "true"}, {"user", kUser}}, json{{"authenticated", true}},
        json{{"authenticated", true}, {"user", {{"username", ""}}}}}) {
    FixedAnswer api(created(status));
    const auto user = review_token(Client(api), "secret");
    ASSERT_TRUE(user) << status;
    EXPECT_TRUE(user->is_null()) << status;
  }
}

TEST(AccessReview, SendsTheWholeUserAndThePath) {
  FixedAnswer api(created({{"allowed", true}}));
  EXPECT_TRUE(may_access(Client(api), kUser, "/metrics", "get").value());
  ASSERT_EQ(api.asked.size(), 1U);
  EXPECT_EQ(api.asked[0].path, "/apis/authorization.k8s.io/v1/subjectaccessreviews");
  EXPECT_EQ(json::parse(api.asked[0].body), json::parse(R"({
    "apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview",
    "spec": {"user": "u", "uid": "1", "groups": ["g"], "extra": {"k": ["v"]},
             "nonResourceAttributes": {"path": "/metrics", "verb": "get"}}})"));
}

TEST(AccessReview, IsNoUnlessTheAnswerIsYes) {
  for (const json& status : {json{{"allowed", false}}, json::object(), json{{"allowed", "true"}},
                             json{{"denied", true}, {"reason", "no"}}}) {
    FixedAnswer api(created(status));
    EXPECT_FALSE(may_access(Client(api), kUser, "/metrics", "get").value()) << status;
  }
}

TEST(Reviews, HaveErrorsWithoutTheToken) {
  const struct {
    Result<Response> answer;
    ErrorKind kind;
    const char* message;
  } cases[] = {
      {Response{403, R"({"kind": "Status", "code": 403, "reason": "Forbidden", "message": "no"})"},
       ErrorKind::Forbidden, "create TokenReview: 403 Forbidden: no"},
      {Response{400, R"({"kind": "Status", "code": 400, "message": "bad secret"})"},
       ErrorKind::Invalid, "create TokenReview: 400: refused"},
      {Response{502, "secret was not taken"}, ErrorKind::Unavailable, "create TokenReview: 502"},
      {Response{201, "{}"}, ErrorKind::Malformed, "create TokenReview: the answer has no status"},
      {fail(ErrorKind::Unavailable, "create TokenReview: x"), ErrorKind::Unavailable,
       "create TokenReview: x"},
  };
  for (const auto& [answer, kind, message] : cases) {
    FixedAnswer api(answer);
    const auto user = review_token(Client(api), "secret");
    ASSERT_FALSE(user) << message;
    EXPECT_EQ(user.error().kind, kind) << message;
    EXPECT_EQ(user.error().message, message);
  }
}

TEST(TokenDigest, IsSha256) {
  std::string hex;
  for (const char byte : token_digest("abc")) {
    constexpr const char* kDigits = "0123456789abcdef";
    const auto value = static_cast<unsigned char>(byte);
    hex += {kDigits[value >> 4], kDigits[value & 15]};
  }
  EXPECT_EQ(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

}  // namespace
}  // namespace mc::kube
