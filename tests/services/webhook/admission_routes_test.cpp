#include "services/webhook/admission_routes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>

#include <string>
#include <thread>
#include <vector>

#include "tests/common/http/self_signed.h"
#include "tests/services/webhook/requests.h"
#include "tests/support/metrics.h"
#include "tests/support/must.h"

namespace mc::webhook {
namespace {

using testing::HasSubstr;

// The admission server on its own port, and a client with a persistent connection.
class AdmissionRoutesTest : public testing::Test {
 protected:
  void start(AdmissionHandler handler = webhook::admission_handler(UnknownFields::AsClientAsks)) {
    server_ = test::must(serve_admission(registry_, {"127.0.0.1", 0}, http::use_self_signed,
                                         admission_routes(registry_, std::move(handler))));
    client_ = http::trustful_client(server_->port());
  }

  // How many answers on this path had this HTTP status.
  double answers(const std::string& path, int status) const {
    return test::sum_of(registry_.text(), "controller_runtime_webhook_requests_total",
                        "code=\"" + std::to_string(status) + "\",webhook=\"" + path + "\"");
  }

  httplib::Response post(const char* path, const std::string& body,
                         const char* type = "application/json") {
    return test::must(client_->Post(path, body, type));
  }

  observe::Registry registry_{"webhook"};
  std::unique_ptr<http::Server> server_;
  std::unique_ptr<httplib::SSLClient> client_;
};

TEST_F(AdmissionRoutesTest, AnswersBothPathsOverTls) {
  start();
  const std::string request = review_of("CREATE", valid_cluster()).dump();
  const auto mutated = post("/mutate", request);
  EXPECT_EQ(mutated.status, 200);
  EXPECT_EQ(mutated.get_header_value("Content-Type"), "application/json");
  EXPECT_EQ(mutated.body, review(Mode::Mutate, request).body);
  EXPECT_EQ(post("/validate", request).body, review(Mode::Validate, request).body);
  const std::string metrics = registry_.text();
  EXPECT_THAT(metrics, HasSubstr("controller_runtime_webhook_requests_total{code=\"200\",webhook="
                                 "\"/mutate\"} 1\n"));
  EXPECT_THAT(metrics, HasSubstr("controller_runtime_webhook_requests_total{code=\"200\",webhook="
                                 "\"/validate\"} 1\n"));
}

TEST_F(AdmissionRoutesTest, ARefusalIsCountedByItsReason) {
  start();
  post("/mutate", review_of("CREATE", cluster_with(R"({"spec": {"size": 0}})")).dump());
  const auto bad = post("/mutate", "{");
  EXPECT_EQ(bad.status, 200);
  EXPECT_EQ(json::parse(bad.body).at("response").at("status").at("message"), "body is not JSON");
  const std::string metrics = registry_.text();
  for (const char* line : {"{reason=\"Invalid\",webhook=\"/mutate\"} 1\n",
                           "{reason=\"BadRequest\",webhook=\"/mutate\"} 1\n",
                           "{reason=\"InternalError\",webhook=\"/mutate\"} 0\n"}) {
    EXPECT_THAT(metrics,
                HasSubstr("minicluster_webhook_admission_refusals_total" + std::string(line)));
  }
}

TEST_F(AdmissionRoutesTest, WhatIsNoAdmissionRequestIsAnHttpError) {
  start();
  const auto wrong_type = post("/mutate", "{}", "text/plain");
  EXPECT_EQ(wrong_type.status, 415);
  EXPECT_EQ(wrong_type.body, "Content-Type is \"text/plain\", must be application/json\n");
  EXPECT_EQ(client_->Get("/mutate")->status, 405);
  EXPECT_EQ(post("/metrics", "{}").status, 404);
  EXPECT_EQ(answers("/mutate", 415), 1);
  EXPECT_EQ(answers("/mutate", 405), 1);
  EXPECT_EQ(answers("/mutate", 200), 0);
}

TEST_F(AdmissionRoutesTest, SevenMebibytesAreReadAndAByteMoreIsNot) {
  start();
  constexpr std::size_t kMost = std::size_t{7} << 20;
  std::string request = review_of("CREATE", valid_cluster()).dump();
  request.append(kMost - request.size(), ' ');
  const auto most = post("/validate", request);
  EXPECT_EQ(most.status, 200);
  EXPECT_EQ(json::parse(most.body).at("response").at("allowed"), true);
  const auto over = post("/validate", request + ' ');
  EXPECT_EQ(over.status, 413);
  EXPECT_EQ(over.body, "body larger than 7340032 bytes\n");
  EXPECT_EQ(answers("/validate", 413), 1);
}

TEST_F(AdmissionRoutesTest, AnExceptionIsAnAdmissionReviewWithCode500AndCounted) {
  start([](Mode, std::string_view) -> AdmissionResponse { throw std::runtime_error("why"); });
  testing::internal::CaptureStderr();
  const auto answer = post("/mutate", review_of("CREATE", valid_cluster()).dump());
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              HasSubstr("\"Failed to review a request\" err=\"why\""));
  const json response = json::parse(answer.body).at("response");
  EXPECT_EQ(response.at("uid"), "705ab4f5-6393-11e8-b7cc-42010a800002");
  EXPECT_EQ(response.at("status").at("code"), 500);
  EXPECT_THAT(registry_.text(), HasSubstr("controller_runtime_webhook_panics_total 1\n"));
  EXPECT_EQ(test::sum_of(registry_.text(), "controller_runtime_webhook_requests_in_flight"), 0);
}

TEST_F(AdmissionRoutesTest, ManyThreadsGetTheirOwnAnswers) {
  start();
  constexpr int kThreads = 8, kRequests = 25;
  std::vector<std::jthread> threads;
  std::atomic<int> right{0};
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      const auto http = http::trustful_client(server_->port());
      for (int n = 0; n < kRequests; ++n) {
        json request = review_of("CREATE", valid_cluster());
        const std::string uid = std::to_string(i) + "-" + std::to_string(n);
        request["request"]["uid"] = uid;
        const auto answer = http->Post("/mutate", request.dump(), "application/json");
        if (answer && json::parse(answer->body)["response"]["uid"] == uid) ++right;
      }
    });
  }
  threads.clear();
  EXPECT_EQ(right, kThreads * kRequests);
}

}  // namespace
}  // namespace mc::webhook
