#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "common/kube/transport.h"
#include "tests/common/kube/transport_to.h"
#include "tests/support/loopback_server.h"

namespace mc::kube {
namespace {

using std::chrono::seconds;
using test::Connection;

const std::string kChunkedHead = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

std::string whole_answer(const std::string& body) {
  return "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

// Pieces of that size.
std::vector<std::string> in_pieces(const std::string& text, std::size_t size) {
  std::vector<std::string> pieces;
  for (std::size_t at = 0; at < text.size(); at += size) pieces.push_back(text.substr(at, size));
  return pieces;
}

const test::Identity& authority() {
  static const test::Identity made = test::make_authority("ca");
  return made;
}

// A TLS server that runs the script for each connection.
class ScriptedServer : public test::LoopbackServer {
 public:
  explicit ScriptedServer(Script script)
      : LoopbackServer(test::issue(authority(), "s", "IP:127.0.0.1"), std::move(script)) {}
};

// Answers each request with the same records.
test::LoopbackServer::Script answer_with(std::vector<std::string> records) {
  return [records = std::move(records)](Connection& client) {
    while (!client.request().empty()) client.send(records);
  };
}

std::unique_ptr<Transport> tls_transport(const test::LoopbackServer& server,
                                         TransportOptions options = {}) {
  Config config;
  config.ca_pem = authority().certificate_pem;
  return transport_to(server.url(), std::move(options), std::move(config));
}

TransportOptions impatient() {
  TransportOptions options;
  options.response_timeout = seconds{1};
  return options;
}

// The body, or the error without the address.
std::string answer_of(Transport& transport) {
  const auto response = transport.send(get("/x"));
  if (response) return response->body;
  EXPECT_EQ(response.error().kind, ErrorKind::Unavailable);
  const std::string& message = response.error().message;
  return message.substr(message.rfind(": ") + 2);
}

class TlsRecords : public testing::TestWithParam<std::size_t> {};

TEST_P(TlsRecords, OfAnySizeMakeUpAnAnswer) {
  const std::string body = "0123456789abcdef";
  const ScriptedServer server(answer_with(in_pieces(whole_answer(body), GetParam())));
  const auto transport = tls_transport(server);
  EXPECT_EQ(answer_of(*transport), body);
  EXPECT_EQ(answer_of(*transport), body);
  EXPECT_EQ(server.connections(), 1);
}

TEST_P(TlsRecords, OfAnySizeMakeUpAStream) {
  const std::string text = kChunkedHead + "5\r\none\nt\r\n8\r\nwo\nthree\r\n1\r\n\n\r\n0\r\n\r\n";
  const ScriptedServer server(answer_with(in_pieces(text, GetParam())));
  std::vector<std::string> lines;
  const auto end = tls_transport(server)->stream(get("/watch"), {}, [&](std::string_view line) {
    lines.emplace_back(line);
    return true;
  });
  EXPECT_TRUE(end) << end.error().message;
  EXPECT_EQ(lines, (std::vector<std::string>{"one", "two", "three"}));
}

INSTANTIATE_TEST_SUITE_P(Sizes, TlsRecords, testing::Values(1, 2, 3, 7, 40, 60, 1000));

TEST(TlsClient, SendsAndReadsBodiesThatNoBufferHolds) {
  test::LoopbackServer server(test::issue(authority(), "s", "IP:127.0.0.1"));
  server.routes().Post("/echo", [](const httplib::Request& request, httplib::Response& response) {
    response.set_content(request.body, "text/plain");
  });
  server.start();
  const auto transport = tls_transport(server);
  Request request = get("/echo");
  request.method = "POST";
  request.content_type = "text/plain";
  for (int i = 0; request.body.size() < std::size_t{8} << 20; ++i) {
    request.body += std::to_string(i) + " ";
  }
  EXPECT_TRUE(test::must(transport->send(request)).body == request.body);
}

TEST(TlsClient, ReadsABodyWithoutALengthUntilItsEnd) {
  const ScriptedServer server([](Connection& client) {
    if (client.request().empty()) return;
    client.send({"HTTP/1.1 200 OK\r\n\r\n", "one ", "two"});
    client.say_end();
  });
  EXPECT_EQ(answer_of(*tls_transport(server)), "one two");
}

TEST(TlsClient, TakesNoPartOfAnAnswerForAWholeOne) {
  const std::string lost = "connection lost, or no answer in time";
  for (const std::string& part :
       {std::string("HTTP/1.1 20"), std::string("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n"),
        std::string("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n1"), kChunkedHead + "5\r\n12",
        kChunkedHead + "2\r\n12\r\n", std::string("HTTP/1.1 200 OK\r\n\r\nwithout a length")}) {
    const ScriptedServer server([&](Connection& client) {
      if (!client.request().empty()) client.send({part});
    });
    EXPECT_EQ(answer_of(*tls_transport(server)), lost) << part;
  }
}

TEST(TlsClient, GivesUpOnAServerThatFallsSilent) {
  for (const std::string& part :
       {std::string("HTTP/1.1 200 OK\r\nConte"), kChunkedHead + "5\r\n12"}) {
    const ScriptedServer server([&](Connection& client) {
      if (!client.request().empty()) client.send(in_pieces(part, 10));
      client.request();
    });
    const auto transport = tls_transport(server, impatient());
    EXPECT_EQ(answer_of(*transport), "connection lost, or no answer in time") << part;
  }
}

TEST(TlsClient, GivesUpOnAServerThatReadsNothing) {
  std::promise<void> let_go;
  const ScriptedServer server([&](Connection&) { let_go.get_future().wait(); });
  const auto transport = tls_transport(server, impatient());
  Request request = get("/x");
  request.method = "POST";
  request.body.assign(std::size_t{32} << 20, 'x');
  const auto response = transport->send(request);
  let_go.set_value();
  ASSERT_FALSE(response);
  EXPECT_TRUE(response.error().message.ends_with("connection lost, or no answer in time"));
}

TEST(TlsClient, StopsReadingWhenTheProcessEnds) {
  std::stop_source stop;
  std::promise<void> answers;
  const ScriptedServer server([&](Connection& client) {
    if (!client.request().empty()) client.send({"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n1"});
    answers.set_value();
    client.request();
  });
  TransportOptions options;
  options.stop = stop.get_token();
  const auto transport = tls_transport(server, options);
  auto answer = std::async(std::launch::async, [&] { return answer_of(*transport); });
  answers.get_future().wait();
  stop.request_stop();
  EXPECT_EQ(answer.get(), "aborted, the process ends");
}

// A server could otherwise have its words taken for the answer to the next request.
TEST(TlsClient, UsesAConnectionWithMoreThanTheAnswerNoMore) {
  const std::string answer = whole_answer("right");
  const std::vector<std::vector<std::string>> surpluses = {
      {answer + whole_answer("wrong")},
      {answer, whole_answer("wrong")},
      {answer + "\r\n"},
      {answer.substr(0, 30), answer.substr(30) + "H"},
      {kChunkedHead, "5\r\nright\r\n0\r\n\r\n" + whole_answer("wrong")}};
  for (const auto& records : surpluses) {
    const ScriptedServer server([&](Connection& client) {
      while (!client.request().empty()) client.send_at_once(records);
    });
    const auto transport = tls_transport(server);
    for (int i = 1; i <= 3; ++i) {
      EXPECT_EQ(answer_of(*transport), "right");
      EXPECT_EQ(server.connections(), i);
    }
  }
}

TEST(TlsClient, UsesAConnectionThatTheAnswerEndsNoMore) {
  const ScriptedServer server([&](Connection& client) {
    if (!client.request().empty()) client.send_at_once({whole_answer("right")}, true);
  });
  const auto transport = tls_transport(server);
  EXPECT_EQ(answer_of(*transport), "right");
  EXPECT_EQ(answer_of(*transport), "right");
}

}  // namespace
}  // namespace mc::kube
