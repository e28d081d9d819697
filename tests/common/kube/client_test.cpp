#include "common/kube/client.h"

#include <gtest/gtest.h>

#include "tests/common/kube/answers.h"
#include "tests/common/kube/transport_to.h"
#include "tests/support/loopback_server.h"

namespace mc::kube {
namespace {

void answer(httplib::Response& response, int code, const json& body) {
  response.status = code;
  response.set_content(body.dump(), "application/json");
}

class ClientTest : public testing::Test {
 protected:
  Client client() {
    server_.start();
    transport_ = transport_to(server_.url());
    return Client(*transport_);
  }

  test::LoopbackServer server_;
  std::unique_ptr<Transport> transport_;
};

TEST_F(ClientTest, RefusalsHaveTheirKind) {
  server_.routes().Post("/api/v1/namespaces/a/pods", [](const auto&, auto& response) {
    answer(response, 409, status(409, "AlreadyExists", "pods \"x\" already exists"));
  });
  server_.routes().Put("/api/v1/namespaces/a/pods/x", [](const auto&, auto& response) {
    answer(response, 409, status(409, "Conflict", "the object has been modified"));
  });
  server_.routes().Get("/api/v1/namespaces/a/pods/x", [](const auto&, auto& response) {
    response.set_header("Retry-After", "5");
    answer(response, 429, status(429, "TooManyRequests", "try again later"));
  });
  server_.routes().Delete("/api/v1/namespaces/a/pods/x", [](const auto&, auto& response) {
    answer(response, 404, status(404, "NotFound", "pods \"x\" not found"));
  });
  const auto api = client();
  const json pod = {{"metadata", {{"namespace", "a"}, {"name", "x"}}}};
  EXPECT_EQ(api.create(kPods, pod).error().kind, ErrorKind::AlreadyExists);
  const auto conflict = api.update(kPods, pod).error();
  EXPECT_EQ(conflict.kind, ErrorKind::Conflict);
  EXPECT_EQ(conflict.message, "update Pod a/x: 409 Conflict: the object has been modified");
  const auto throttled = api.get(kPods, "a", "x").error();
  EXPECT_EQ(throttled.kind, ErrorKind::Throttled);
  EXPECT_EQ(throttled.retry_after_s, 5);
  EXPECT_EQ(api.remove(kPods, "a", "x", "uid").error().kind, ErrorKind::NotFound);
}

TEST_F(ClientTest, WritesAnswerWithTheObject) {
  const auto echo = [](const httplib::Request& request, httplib::Response& response) {
    response.status = request.method == "POST" ? 201 : 200;
    response.set_content(request.body, "application/json");
  };
  server_.routes().Post("/api/v1/namespaces/a/pods", echo);
  server_.routes().Put("/api/v1/namespaces/a/pods/x", echo);
  server_.routes().Patch("/api/v1/namespaces/a/pods/x", echo);
  const auto api = client();
  const json pod = {{"metadata", {{"namespace", "a"}, {"name", "x"}}}};
  EXPECT_EQ(*api.create(kPods, pod), pod);
  EXPECT_EQ(*api.update(kPods, pod), pod);
  EXPECT_EQ(*api.patch(kPods, "a", "x", PatchType::Merge, {{"spec", 1}}), json({{"spec", 1}}));
}

TEST_F(ClientTest, OfTheAnswerToARemovalOnlyTheKindIsRead) {
  server_.routes().Delete("/api/v1/namespaces/a/pods/x", [](const auto&, auto& response) {
    answer(response, 200, {{"kind", "Pod"}, {"metadata", {{"name", "x"}}}});
  });
  server_.routes().Delete("/api/v1/namespaces/a/pods/y", [](const auto&, auto& response) {
    response.set_content("<html>", "text/html");
  });
  const auto api = client();
  EXPECT_EQ(test::must(api.remove(kPods, "a", "x")), json({{"kind", "Pod"}}));
  EXPECT_EQ(api.remove(kPods, "a", "y").error().kind, ErrorKind::Malformed);
}

TEST_F(ClientTest, AListHasTheItemsOfAllItsPages) {
  server_.routes().Get("/api/v1/pods", [](const httplib::Request& request, auto& response) {
    EXPECT_EQ(request.get_param_value("limit"), "1");
    const auto page = [&](const char* next, const json& items) {
      answer(response, 200,
             {{"metadata", {{"resourceVersion", "9"}, {"continue", next}}}, {"items", items}});
    };
    const auto token = request.get_param_value("continue");
    if (token.empty()) return page("a b", {{{"n", 1}}});
    if (token == "a b") return page("c", nullptr);
    page("", {{{"n", 2}}, {{"n", 3}}});
  });
  const json list = test::must(client().list(kPods, "", {.limit = 1}));
  EXPECT_EQ(list["items"], json::parse(R"([{"n":1},{"n":2},{"n":3}])"));
  EXPECT_EQ(list["metadata"]["resourceVersion"], "9");
}

TEST_F(ClientTest, AnswersThatAreNoObjectsAreMalformed) {
  server_.routes().Get("/api/v1/namespaces/a/pods/x", [](const auto&, auto& response) {
    response.set_content("<html>", "text/html");
  });
  server_.routes().Get("/api/v1/pods",
                       [](const auto&, auto& response) { answer(response, 200, {{"items", 1}}); });
  const auto api = client();
  EXPECT_EQ(api.get(kPods, "a", "x").error().message,
            "get Pod a/x: the answer is not a JSON object");
  EXPECT_EQ(api.list(kPods, "").error().message,
            "list Pod in all namespaces: the answer is not a list");
  EXPECT_EQ(api.list(kPods, "").error().kind, ErrorKind::Malformed);
}

}  // namespace
}  // namespace mc::kube
