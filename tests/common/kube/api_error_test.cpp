#include "common/kube/api_error.h"

#include <gtest/gtest.h>

#include "tests/common/kube/answers.h"

namespace mc::kube {
namespace {

TEST(KindOf, DecidesByCodeAndReason) {
  const struct {
    int code;
    const char* reason;
    ErrorKind kind;
  } cases[] = {
      {400, "BadRequest", ErrorKind::Invalid},
      {401, "Unauthorized", ErrorKind::Forbidden},
      {403, "Forbidden", ErrorKind::Forbidden},
      {404, "NotFound", ErrorKind::NotFound},
      {405, "MethodNotAllowed", ErrorKind::Invalid},
      {408, "", ErrorKind::Unavailable},
      {409, "AlreadyExists", ErrorKind::AlreadyExists},
      {409, "Conflict", ErrorKind::Conflict},
      {409, "", ErrorKind::Conflict},
      {410, "Expired", ErrorKind::Gone},
      {413, "RequestEntityTooLarge", ErrorKind::Invalid},
      {422, "Invalid", ErrorKind::Invalid},
      {429, "TooManyRequests", ErrorKind::Throttled},
      {500, "InternalError", ErrorKind::Unavailable},
      {503, "", ErrorKind::Unavailable},
      {504, "Timeout", ErrorKind::Unavailable},
      {302, "", ErrorKind::Malformed},
  };
  for (const auto& one : cases) {
    EXPECT_EQ(kind_of(one.code, one.reason), one.kind) << one.code << " " << one.reason;
  }
}

TEST(ApiError, NamesTheOperationAndHasTheServersOwnWords) {
  const auto request = request::create(kJobs, {{"metadata", {{"namespace", "a"}, {"name", "x"}}}});
  const auto error = api_error(
      request,
      Response{409, status(409, "AlreadyExists", "jobs.batch \"x\" already exists").dump(), 0});
  EXPECT_EQ(error.kind, ErrorKind::AlreadyExists);
  EXPECT_EQ(error.message, "create Job a/x: 409 AlreadyExists: jobs.batch \"x\" already exists");
}

TEST(ApiError, TakesTheLongerOfTheTwoWaysToAskForPatience) {
  const auto request = request::get(kJobs, "a", "x");
  auto body = status(500, "ServerTimeout", "try again");
  body["details"]["retryAfterSeconds"] = 3;
  EXPECT_EQ(api_error(request, Response{500, body.dump(), 0}).retry_after_s, 3);
  EXPECT_EQ(api_error(request, Response{500, body.dump(), 7}).retry_after_s, 7);
}

TEST(ApiError, CutsWhatIsNoStatus) {
  const auto request = request::get(kJobs, "a", "x");
  EXPECT_EQ(api_error(request, Response{404, "404 page not found\n", 0}).message,
            "get Job a/x: 404: 404 page not found");
  EXPECT_EQ(api_error(request, Response{502, std::string(9999, 'x'), 0}).message,
            "get Job a/x: 502: " + std::string(200, 'x'));
  EXPECT_EQ(api_error(request, Response{503, "", 0}).message, "get Job a/x: 503");
}

TEST(ApiError, NeverQuotesWhatMayHoldASecret) {
  const auto request =
      request::create(kSecrets, {{"metadata", {{"namespace", "a"}, {"name", "x"}}}});
  auto body = status(422, "Invalid", "data[k]: Invalid value: hunter2");
  EXPECT_EQ(api_error(request, Response{422, body.dump(), 0}).message,
            "create Secret a/x: 422 Invalid: refused");
  body["details"]["causes"] = {{{"field", "data[k]"}, {"message", "hunter2"}}, {{"field", "type"}}};
  EXPECT_EQ(api_error(request, Response{422, body.dump(), 0}).message,
            "create Secret a/x: 422 Invalid: refused for data[k], type");
  EXPECT_EQ(api_error(request, Response{400, "cannot decode hunter2", 0}).message,
            "create Secret a/x: 400: refused");
  EXPECT_EQ(api_error(request, Response{500, "hunter2", 0}).message, "create Secret a/x: 500");
  EXPECT_EQ(
      api_error(request, Response{409, status(409, "AlreadyExists", "is there").dump(), 0}).message,
      "create Secret a/x: 409 AlreadyExists: is there");
}

TEST(ApiError, AVersionThatTheServerDoesNotHaveYetMeansToListAgain) {
  auto body = status(504, "Timeout", "Too large resource version: 9, current: 5");
  body["details"]["causes"] = {{{"reason", "ResourceVersionTooLarge"}}};
  EXPECT_EQ(api_error(request::watch(kJobs, "", {}), body).kind, ErrorKind::Gone);
}

TEST(ApiError, AnOwnersKindThatTheServerHasNotLookedUpYetMeansToTryAgain) {
  const auto request =
      request::create(kSecrets, {{"metadata", {{"namespace", "a"}, {"name", "x"}}}});
  const auto kind_of_403 = [&](const std::string& why) {
    const std::string message = "secrets \"x\" is forbidden: cannot set blockOwnerDeletion " + why;
    const auto error =
        api_error(request, Response{403, status(403, "Forbidden", message.c_str()).dump(), 0});
    EXPECT_EQ(error.message, "create Secret a/x: 403 Forbidden: " + message);
    return error.kind;
  };
  EXPECT_EQ(kind_of_403("in this case because cannot find RESTMapping for APIVersion "
                        "flux-framework.org/v1alpha2 Kind MiniCluster: no matches for kind "
                        "\"MiniCluster\" in version \"flux-framework.org/v1alpha2\""),
            ErrorKind::Unavailable);
  EXPECT_EQ(kind_of_403("if an ownerReference refers to a resource you can't set finalizers on: , "
                        "<nil>"),
            ErrorKind::Forbidden);
}

TEST(ApiError, SurvivesAStatusOfOtherTypes) {
  const json odd = {{"kind", "Status"}, {"code", "x"}, {"reason", 4}, {"details", {1, 2}}};
  EXPECT_EQ(api_error(request::get(kJobs, "a", "x"), Response{500, odd.dump(), 0}).message,
            "get Job a/x: 500");
}

}  // namespace
}  // namespace mc::kube
