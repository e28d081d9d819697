#include "tests/support/process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>

#include <csignal>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "tests/common/http/raw_client.h"
#include "tests/services/webhook/certificates.h"
#include "tests/services/webhook/requests.h"
#include "tests/support/eventually.h"

// The program as a process: exit codes, signals, output.
namespace mc::webhook {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class Webhook {
 public:
  explicit Webhook(std::vector<std::string> arguments) : process_(command(std::move(arguments))) {}

  // The next line of its standard error with this text; "" if it ends first.
  std::string line_with(const std::string& text) {
    std::string line;
    const bool came = test::eventually(
        [&] {
          const bool ended = process_.wait(std::chrono::seconds(0)).has_value();
          const std::string err = process_.err();
          for (auto end = err.find('\n', read_); end != err.npos; end = err.find('\n', read_)) {
            line = err.substr(read_, end + 1 - read_);
            read_ = end + 1;
            if (line.contains(text)) return true;
          }
          line.clear();
          return ended;
        },
        std::chrono::seconds(60));
    EXPECT_TRUE(came) << "no " << text << " in\n" << process_.err();
    return line;
  }
  void signal(int number) { process_.signal(number); }
  int exit_code() { return process_.wait(std::chrono::seconds(60)).value_or(-1); }

 private:
  static std::vector<std::string> command(std::vector<std::string> arguments) {
    const auto folder = std::filesystem::read_symlink("/proc/self/exe").parent_path();
    arguments.insert(arguments.begin(), folder / "minicluster-webhook");
    return arguments;
  }

  test::Process process_;
  std::size_t read_ = 0;  // bytes of its standard error
};

int number_after(const std::string& line, const std::string& text) {
  return std::stoi(line.substr(line.find(text) + text.size()));
}

std::vector<std::string> with_probes_and_a_long_delay(const Certificates& certificates) {
  return {"--host=127.0.0.1",
          "--port=0",
          "--metrics-bind-address=0",
          "--health-probe-bind-address=127.0.0.1:0",
          "--shutdown-delay-duration=1h",
          "--cert-dir=" + certificates.folder()};
}

TEST(ProcessTest, SigtermFinishesTheRequestUnderWayAndExitsWith0) {
  const Certificates certificates;
  ASSERT_TRUE(certificates.made());
  Webhook webhook({"--host=127.0.0.1", "--port=0", "--metrics-bind-address=0",
                   "--health-probe-bind-address=127.0.0.1:0",
                   "--cert-dir=" + certificates.folder()});
  const std::string serving = webhook.line_with("\"Serving admission\"");
  ASSERT_NE(serving, "");
  http::RawClient connection(number_after(serving, " port=\""));
  ASSERT_TRUE(connection.shake_hands());
  const std::string body = review_of("CREATE", valid_cluster()).dump();
  connection.send(
      "POST /mutate HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
      "Expect: 100-continue\r\nContent-Length: " +
      std::to_string(body.size()) + "\r\n\r\n");
  const std::string kBegun = "HTTP/1.1 100 Continue\r\n\r\n";
  ASSERT_EQ(connection.read(kBegun.size()), kBegun);
  webhook.signal(SIGTERM);
  EXPECT_THAT(webhook.line_with("\"Stopping\""), HasSubstr("signal=\"SIGTERM\""));
  connection.send(body);
  const std::string answer = connection.read();
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(answer, HasSubstr("\"allowed\":true"));
  EXPECT_NE(webhook.line_with("\"Stopped\""), "");
  EXPECT_EQ(webhook.exit_code(), 0);
}

// An API server that does not know of the shutdown yet keeps sending, on an existing or a new
// connection.
TEST(ProcessTest, AfterSigtermItServesForTheShutdownDelayThatASecondSignalEnds) {
  const Certificates certificates;
  ASSERT_TRUE(certificates.made());
  Webhook webhook(with_probes_and_a_long_delay(certificates));
  const std::string serving = webhook.line_with("\"Serving admission\"");
  ASSERT_NE(serving, "");
  const int port = number_after(serving, " port=\"");
  httplib::SSLClient before("127.0.0.1", port), after("127.0.0.1", port);
  httplib::Client probes("127.0.0.1", number_after(serving, " probePort=\""));
  const std::string body = review_of("CREATE", valid_cluster()).dump();
  before.set_keep_alive(true);
  for (auto* client : {&before, &after}) client->enable_server_certificate_verification(false);
  EXPECT_EQ(before.Post("/mutate", body, "application/json")->get_header_value("Connection"), "");
  webhook.signal(SIGTERM);
  ASSERT_NE(webhook.line_with("\"Stopping\""), "");
  for (auto* client : {&before, &after}) {
    const auto answer = client->Post("/mutate", body, "application/json");
    ASSERT_TRUE(answer) << to_string(answer.error());
    EXPECT_THAT(answer->body, HasSubstr("\"allowed\":true"));
    EXPECT_EQ(answer->get_header_value("Connection"), "close");
  }
  EXPECT_EQ(probes.Get("/readyz")->status, 503);
  EXPECT_EQ(probes.Get("/healthz")->status, 200);
  webhook.signal(SIGTERM);
  EXPECT_NE(webhook.line_with("\"Stopped\""), "");
  EXPECT_EQ(webhook.exit_code(), 0);
}

// For the controller, a dump; somebody may well send it to the wrong pod.
TEST(ProcessTest, Sigusr2DoesNothing) {
  const Certificates certificates;
  ASSERT_TRUE(certificates.made());
  Webhook webhook(with_probes_and_a_long_delay(certificates));
  const std::string serving = webhook.line_with("\"Serving admission\"");
  ASSERT_NE(serving, "");
  httplib::Client probes("127.0.0.1", number_after(serving, " probePort=\""));
  webhook.signal(SIGUSR2);
  EXPECT_EQ(probes.Get("/readyz")->status, 200);
  webhook.signal(SIGTERM);
  EXPECT_THAT(webhook.line_with("\"Stopping\""), HasSubstr("signal=\"SIGTERM\""));
  webhook.signal(SIGUSR2);
  EXPECT_EQ(probes.Get("/readyz")->status, 503) << "it goes on for the delay";
  webhook.signal(SIGINT);
  EXPECT_NE(webhook.line_with("\"Stopped\""), "");
  EXPECT_EQ(webhook.exit_code(), 0);
}

TEST(ProcessTest, WhatItCannotStartWithIsOneLineAndExitCode1) {
  Webhook webhook({"--cert-dir=/nowhere"});
  EXPECT_EQ(webhook.line_with(""),
            "minicluster-webhook: cannot read /nowhere/tls.crt: No such file or directory\n");
  EXPECT_EQ(webhook.line_with(""), "");
  EXPECT_EQ(webhook.exit_code(), 1);
}

TEST(ProcessTest, CheckExitsWithItsVerdict) {
  Webhook unreadable({"check", "-f", "/nowhere/x.yaml"});
  EXPECT_EQ(unreadable.line_with(""), "/nowhere/x.yaml: No such file or directory\n");
  EXPECT_EQ(unreadable.exit_code(), 2);
  Webhook mistaken({"--prot=1"});
  EXPECT_EQ(mistaken.exit_code(), 2);
}

}  // namespace
}  // namespace mc::webhook
