#include "services/controller/app/api_server_check.h"

#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <utility>

#include "common/base/json.h"
#include "tests/common/kube/fixed_answer.h"

namespace mc::controller {
namespace {

// An API server that returns the object it receives, except the fields that `drop` removes.
class Echo final : public kube::WithoutStreams {
 public:
  explicit Echo(std::function<void(json& job)> drop) : drop_(std::move(drop)) {}

  Result<kube::Response> send(const kube::Request& request) override {
    path = request.path;
    sent = json::parse(request.body);
    json answer = sent;
    drop_(answer);
    return kube::Response{status, answer.dump()};
  }

  int status = 201;
  std::string path;
  json sent;

 private:
  std::function<void(json&)> drop_;
};

std::optional<std::size_t> dropped(const std::function<void(json&)>& drop) {
  Echo server(drop);
  const auto answer = find_dropped_fields(kube::Client(server), "lab");
  if (!answer) return std::nullopt;
  return answer->size();
}

TEST(ApiServerCheck, AsksWithNothingStoredAndInANamespaceOfOurs) {
  Echo server([](json&) {});
  ASSERT_TRUE(find_dropped_fields(kube::Client(server), "lab").has_value());
  EXPECT_EQ(server.path, "/apis/batch/v1/namespaces/lab/jobs?dryRun=All");
  EXPECT_TRUE(at_path(server.sent, {"metadata", "ownerReferences"}).is_null());
}

TEST(ApiServerCheck, SeesEachFieldThatDependsOnTheVersion) {
  EXPECT_EQ(dropped([](json&) {}), 0U);
  EXPECT_EQ(dropped([](json& job) { job["spec"].erase("successPolicy"); }), 1U);
  EXPECT_EQ(dropped([](json& job) { job["spec"].erase("podFailurePolicy"); }), 1U);
  EXPECT_EQ(dropped([](json& job) {
              for (json& container : job["spec"]["template"]["spec"]["initContainers"])
                container.erase("restartPolicy");
            }),
            1U);
}

TEST(ApiServerCheck, ARefusalIsNoAnswer) {
  Echo server([](json& body) { body = {{"kind", "Status"}, {"message", "quota"}}; });
  server.status = 403;
  EXPECT_FALSE(find_dropped_fields(kube::Client(server), "lab").has_value());
}

}  // namespace
}  // namespace mc::controller
