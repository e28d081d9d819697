#include "common/http/server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>
#include <sys/resource.h>

#include <chrono>
#include <future>
#include <latch>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "common/http/probes.h"
#include "tests/common/http/raw_client.h"
#include "tests/common/http/self_signed.h"
#include "tests/support/must.h"
#include "tests/support/stopwatch.h"

namespace mc::http {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using test::must;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
using SteadyClock = std::chrono::steady_clock;

constexpr std::size_t kMaxBody = 100'000;
const std::string kHello = "GET /hello HTTP/1.1\r\nHost: x\r\n\r\n";
const std::string kEcho = "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n";

Response echo(const Request& request) { return {200, std::string(request.body)}; }

std::unique_ptr<Server> start(std::vector<Route> routes, bool tls,
                              std::size_t max_connections = 2048) {
  ServerOptions options{{"127.0.0.1", 0}, {}, kMaxBody, max_connections};
  if (tls) options.tls = use_self_signed;
  return must(Server::start(std::move(options), std::move(routes)));
}

std::vector<Route> echo_routes() {
  return {{"POST", "/echo", "application/json", echo},
          {"GET", "/hello", "", [](const Request&) { return Response{200, "hello\n"}; }}};
}

std::unique_ptr<httplib::SSLClient> client(const Server& server) {
  return trustful_client(server.port());
}

RawClient raw_client(const Server& server) {
  RawClient out(server.port());
  EXPECT_TRUE(out.shake_hands());
  return out;
}

TEST(HttpServerTest, RoutesByPathMethodAndContentType) {
  const auto server = start(echo_routes(), true);
  const auto http = client(*server);
  const struct {
    const char* method;
    const char* path;
    const char* content_type;
    int status;
    const char* body;
  } cases[] = {
      {"POST", "/echo", "application/json", 200, "{}"},
      {"POST", "/echo", "Application/JSON ; charset=utf-8", 200, "{}"},
      {"POST", "/echo", "text/plain", 415,
       "Content-Type is \"text/plain\", must be application/json\n"},
      {"POST", "/echo", "application/jsonx", 415,
       "Content-Type is \"application/jsonx\", must be application/json\n"},
      {"POST", "/other", "application/json", 404, "no such path\n"},
      {"POST", "/echo/", "application/json", 404, "no such path\n"},
      {"PUT", "/echo", "application/json", 405, "method PUT not allowed, must be POST\n"},
      {"PATCH", "/echo", "application/json", 405, "method PATCH not allowed, must be POST\n"},
      {"DELETE", "/echo", "application/json", 405, "method DELETE not allowed, must be POST\n"},
      {"POST", "/hello", "application/json", 405, "method POST not allowed, must be GET\n"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(std::string(c.method) + " " + c.path + " " + c.content_type);
    httplib::Request request;
    request.method = c.method;
    request.path = c.path;
    request.set_header("Content-Type", c.content_type);
    request.body = "{}";
    const auto answer = must(http->send(request));
    EXPECT_EQ(answer.status, c.status);
    EXPECT_EQ(answer.body, c.body);
  }
  EXPECT_EQ(http->Get("/hello")->body, "hello\n");
  EXPECT_EQ(http->Head("/hello")->status, 200);
  EXPECT_EQ(http->Get("/echo")->status, 405);
}

TEST(HttpServerTest, ABodyOverTheLimitIsToldSoAndTheConnectionGoesOn) {
  const auto server = start(echo_routes(), true);
  const auto http = client(*server);
  const auto most = must(http->Post("/echo", std::string(kMaxBody, 'x'), "application/json"));
  EXPECT_EQ(most.status, 200);
  EXPECT_EQ(most.body.size(), kMaxBody);
  const auto over = must(http->Post("/echo", std::string(kMaxBody + 1, 'x'), "application/json"));
  EXPECT_EQ(over.status, 413);
  EXPECT_EQ(over.body, "body larger than 100000 bytes\n");
  EXPECT_EQ(http->Post("/echo", "{}", "application/json")->status, 200);
}

TEST(HttpServerTest, OneConnectionCarriesManyRequestsWithoutDelay) {
  const auto server = start(echo_routes(), true);
  RawClient connection = raw_client(*server);
  const test::IdleStopwatch watch;
  for (int i = 0; i < 200; ++i) {
    ASSERT_TRUE(connection.send(kEcho + "Content-Length: 0\r\n\r\n"));
    ASSERT_THAT(connection.headers(), StartsWith("HTTP/1.1 200"));
  }
  EXPECT_LT(watch.elapsed(), seconds(4));  // 200 stalls of Nagle's 40 ms would be 8 s
}

TEST(HttpServerTest, AnExceptionOfAHandlerIsA500ThatDoesNotSayWhy) {
  const auto server = start(
      {{"GET", "/x", "", [](const Request&) -> Response { throw std::runtime_error("why"); }}},
      true);
  testing::internal::CaptureStderr();
  const auto answer = must(client(*server)->Get("/x"));
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              HasSubstr("\"Failed to serve a request\" path=\"/x\" err=\"why\""));
  EXPECT_EQ(answer.status, 500);
  EXPECT_EQ(answer.body, "internal error\n");
  for (const auto& [name, value] : answer.headers) EXPECT_THAT(value, Not(HasSubstr("why")));
}

TEST(HttpServerTest, HeadersAndAChunkedBodyWithoutEndAreCutOff) {
  const struct {
    std::string begin, part;
  } cases[] = {
      {"GET /hello HTTP/1.1\r\n", "X-Filler: " + std::string(1000, 'x') + "\r\n"},
      {kEcho + "Transfer-Encoding: chunked\r\n\r\n",
       "1000\r\n" + std::string(0x1000, 'x') + "\r\n"},
  };
  const auto server = start(echo_routes(), true);
  for (const auto& [begin, part] : cases) {
    SCOPED_TRACE(begin);
    RawClient connection = raw_client(*server);
    ASSERT_TRUE(connection.send(begin));
    for (int i = 0; i < 100; ++i) connection.send(part);
    EXPECT_TRUE(connection.closed_by_server());
  }
}

TEST(HttpServerTest, ACompressedBodyIsNotRead) {
  const auto server = start(echo_routes(), true);
  RawClient connection = raw_client(*server);
  ASSERT_TRUE(connection.send(kEcho + "Content-Encoding: gzip\r\nContent-Length: 100000\r\n\r\n"));
  connection.send(std::string(100'000, 'x'));
  EXPECT_THAT(connection.headers(), Not(HasSubstr(" 200 ")));
}

TEST(HttpServerTest, AnAnswerToAPostIsNotCompressed) {
  const auto server = start(echo_routes(), true);
  RawClient connection = raw_client(*server);
  ASSERT_TRUE(connection.send(kEcho + "Accept-Encoding: gzip\r\nContent-Length: 1000\r\n\r\n" +
                              std::string(1000, 'x')));
  EXPECT_THAT(connection.headers(), HasSubstr("Content-Length: 1000\r\n"));
}

TEST(HttpServerTest, AShortRequestIsAnsweredByTheThreadThatReadIt) {
  const auto thread_of_handler = [](const Request&) {
    std::ostringstream id;
    id << std::this_thread::get_id();
    return Response{200, id.str()};
  };
  ServerOptions options{{"127.0.0.1", 0}, use_self_signed, kMaxBody};
  options.handlers_never_wait = true;
  const auto server = must(
      Server::start(std::move(options), {{"POST", "/", "application/json", thread_of_handler}}));
  const auto post = [&](std::size_t bytes) {
    return must(client(*server)->Post("/", std::string(bytes, 'x'), "application/json")).body;
  };
  constexpr std::size_t kShort = 16'384;
  const std::string loop = post(1);
  EXPECT_EQ(post(kShort), loop);
  EXPECT_NE(post(kShort + 1), loop) << "may take long";
}

TEST(HttpServerTest, RequestsInOneWriteAreAnsweredInTheirOrderWhoeverAnswers) {
  ServerOptions options{{"127.0.0.1", 0}, use_self_signed, kMaxBody};
  options.handlers_never_wait = true;
  const auto server = must(Server::start(std::move(options), echo_routes()));
  RawClient connection = raw_client(*server);
  const std::vector<std::string> bodies = {"1st", "2nd", "3rd"};
  std::string requests;
  for (const std::string& body : bodies) requests += kEcho + "Content-Length: 3\r\n\r\n" + body;
  ASSERT_TRUE(connection.send(requests));
  for (const std::string& body : bodies) {
    connection.headers();
    EXPECT_EQ(connection.read(body.size()), body);
  }
}

TEST(HttpServerTest, DoesNotStartWithoutTheDescriptorsOfItsLoop) {
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  const int lowest = ::dup(STDIN_FILENO);
  ::close(lowest);
  for (const rlim_t left : {1U, 2U}) {  // the listener, and epoll's
    const rlimit few{static_cast<rlim_t>(lowest) + left, before.rlim_max};
    setrlimit(RLIMIT_NOFILE, &few);
    const auto server = Server::start({.address = {"127.0.0.1", 0}, .tls = {}}, echo_routes());
    setrlimit(RLIMIT_NOFILE, &before);
    ASSERT_FALSE(server);
    EXPECT_EQ(server.error().kind, ErrorKind::Unavailable);
    EXPECT_EQ(server.error().message, "serve 127.0.0.1:0: Too many open files");
  }
  const int again = ::dup(STDIN_FILENO);
  ::close(again);
  EXPECT_EQ(again, lowest) << "every descriptor is closed";
}

// 1,000 connections that are idle after a request, and 100 that never sent anything.
TEST(HttpServerTest, IdleConnectionsDelayNoRequestAndCostNoProcessorTime) {
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  if (files.rlim_cur < 3000) GTEST_SKIP() << "needs 3000 file descriptors";
  const auto server = start(echo_routes(), true);
  std::vector<RawClient> idle, silent;
  for (int i = 0; i < 1000; ++i) {
    idle.push_back(raw_client(*server));
    ASSERT_TRUE(idle.back().send(kHello)) << i;
    ASSERT_THAT(idle.back().headers(), StartsWith("HTTP/1.1 200")) << i;
  }
  for (int i = 0; i < 100; ++i) silent.emplace_back(server->port());
  const test::IdleStopwatch watch;
  const auto answer = must(client(*server)->Post("/echo", "{}", "application/json"));
  EXPECT_LT(watch.elapsed(), seconds(1));
  EXPECT_EQ(answer.status, 200);

  rusage before{}, after{};
  getrusage(RUSAGE_SELF, &before);
  std::promise<void> never;
  never.get_future().wait_for(seconds(1));  // the measured time, not a synchronisation
  getrusage(RUSAGE_SELF, &after);
  const auto micros = [](const rusage& usage) {
    return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1'000'000 + usage.ru_utime.tv_usec +
           usage.ru_stime.tv_usec;
  };
  EXPECT_LT(micros(after) - micros(before), 200'000);

  silent.clear();  // one without a finished handshake is closed only when it stalls
  const test::IdleStopwatch stopping;
  server->stop();
  EXPECT_LT(stopping.elapsed(), seconds(5));
  for (RawClient& connection : idle) EXPECT_TRUE(connection.closed_by_server());
}

TEST(HttpServerTest, DrainingServesOnAndAsksEachClientToClose) {
  const auto server = start(echo_routes(), true);
  RawClient before = raw_client(*server);
  ASSERT_TRUE(before.send(kHello));
  ASSERT_THAT(before.headers(), AllOf(StartsWith("HTTP/1.1 200"), Not(HasSubstr("Connection"))));
  ASSERT_EQ(before.read(6), "hello\n");
  server->drain();
  RawClient after = raw_client(*server);
  for (RawClient* connection : {&before, &after}) {
    ASSERT_TRUE(connection->send(kHello));
    EXPECT_THAT(connection->headers(),
                AllOf(StartsWith("HTTP/1.1 200"), HasSubstr("\r\nConnection: close\r\n")));
    EXPECT_EQ(connection->read(6), "hello\n");
  }
}

TEST(HttpServerTest, StopFinishesTheRequestUnderWayAndTakesNoOther) {
  std::latch begun(1), go(1);
  const auto server = start({{"POST", "/slow", "",
                              [&](const Request&) {
                                begun.count_down();
                                go.wait();
                                return Response{200, "done\n"};
                              }}},
                            true);
  const int port = server->port();
  auto answer = std::async(
      std::launch::async, [&] { return client(*server)->Post("/slow", "{}", "application/json"); });
  begun.wait();
  auto stopped = std::async(std::launch::async, [&] { server->stop(); });
  const auto deadline = SteadyClock::now() + seconds(10);
  while (RawClient(port).connected() && SteadyClock::now() < deadline) std::this_thread::yield();
  EXPECT_FALSE(RawClient(port).connected());
  EXPECT_EQ(stopped.wait_for(milliseconds(0)), std::future_status::timeout);
  go.count_down();
  stopped.get();
  const auto result = must(answer.get());
  EXPECT_EQ(result.body, "done\n");
  EXPECT_EQ(result.get_header_value("Connection"), "close");
  EXPECT_FALSE(server->serving());
}

TEST(HttpServerTest, APortThatIsTakenIsAnErrorThatSaysSo) {
  const auto first = start(echo_routes(), false);
  const auto second = Server::start({{"127.0.0.1", first->port()}, {}, kMaxBody, 8}, echo_routes());
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().message,
            "listen on 127.0.0.1:" + std::to_string(first->port()) + ": Address already in use");
}

TEST(HttpServerTest, AContextThatIsRefusedIsAnError) {
  ServerOptions options{{"127.0.0.1", 0}, [](ssl_ctx_st&) { return false; }, kMaxBody, 8};
  const auto server = Server::start(std::move(options), {});
  ASSERT_FALSE(server);
  EXPECT_EQ(server.error().message, "prepare TLS: the context was refused");
}

TEST(HttpServerTest, AnOldTlsIsRefused) {
  const auto server = start(echo_routes(), true);
  const auto http = client(*server);
  SSL_CTX_set_max_proto_version(http->ssl_context(), TLS1_1_VERSION);
  SSL_CTX_set_security_level(http->ssl_context(), 0);
  EXPECT_FALSE(http->Get("/hello"));
}

TEST(HttpServerTest, PlainHttpTakesOneRequestPerConnectionAndReadsNoBody) {
  const auto server = start(echo_routes(), false);
  httplib::Client http("127.0.0.1", server->port());
  http.set_keep_alive(true);
  const auto answer = must(http.Get("/hello"));
  EXPECT_EQ(answer.body, "hello\n");
  EXPECT_EQ(answer.get_header_value("Connection"), "close");
  EXPECT_EQ(http.Post("/hello", "{}", "application/json")->status, 405);
}

// Attacks on a port without TLS.
TEST(HttpServerTest, APlainPortEndsALineWithoutEnd) {
  const auto server = start(echo_routes(), false);
  RawClient stranger(server->port());
  stranger.send(std::string(std::size_t{128} * 1024, 'A'));  // the server may not read it all
  EXPECT_EQ(stranger.read(12), "HTTP/1.1 431");
}

TEST(HttpServerTest, SlowClientsOfAPlainPortHoldNoThread) {
  const auto server = start(echo_routes(), false, 256);
  std::vector<RawClient> slow;
  for (int i = 0; i < 200; ++i) ASSERT_TRUE(slow.emplace_back(server->port()).send("GET /"));
  httplib::Client http("127.0.0.1", server->port());
  http.set_read_timeout(2);  // a request blocked by a slow one would take 5 s
  EXPECT_EQ(must(http.Get("/hello")).body, "hello\n");
}

TEST(HttpServerTest, ANewConnectionTakesThePlaceOfTheOneIdleForTheLongest) {
  const auto server = start(echo_routes(), true, 4);
  std::vector<RawClient> idle;
  for (int i = 0; i < 4; ++i) idle.push_back(raw_client(*server));
  EXPECT_EQ(client(*server)->Get("/hello")->status, 200);
  EXPECT_TRUE(idle.front().closed_by_server());
}

TEST(HttpServerTest, BeyondTheBudgetARequestIsToldToComeAgainBeforeItsBodyIsRead) {
  observe::Registry registry("test");
  ServerOptions options{.address = {"127.0.0.1", 0},
                        .tls = use_self_signed,
                        .max_body = kMaxBody,
                        .budget = 50'000,
                        .metrics = ServerMetrics(registry, "admission")};
  const auto server = *Server::start(std::move(options), echo_routes());
  RawClient connection = raw_client(*server);
  ASSERT_TRUE(connection.send(kEcho + "Content-Length: 60000\r\n\r\n"));
  EXPECT_THAT(connection.headers(),
              AllOf(StartsWith("HTTP/1.1 429"), HasSubstr("\r\nRetry-After: 1\r\n")));
  EXPECT_THAT(registry.text(),
              HasSubstr("minicluster_http_requests_over_budget_total{port=\"admission\"} 1\n"));
  EXPECT_EQ(client(*server)->Post("/echo", "{}", "application/json")->status, 200);
}

TEST(Probes, SayHealthAndReadiness) {
  std::atomic<bool> ready{false};
  observe::Registry registry("test");
  const auto server = *serve_probes(
      registry, BindAddress{"127.0.0.1", 0}, 16,
      {{"listening", [] { return std::string(); }},
       {"certificate", [&] { return ready ? std::string() : std::string("no key pair yet"); }}});
  const auto get = [&](const char* path) {
    return httplib::Client("127.0.0.1", server->port()).Get(path);
  };
  EXPECT_EQ(get("/healthz")->status, 200);
  EXPECT_EQ(get("/healthz")->body, "ok\n");
  EXPECT_EQ(get("/readyz")->status, 503);
  EXPECT_EQ(get("/readyz")->body,
            "[+]listening ok\n[-]certificate failed: no key pair yet\nreadyz check failed\n");
  ready = true;
  EXPECT_EQ(get("/readyz")->status, 200);
  EXPECT_EQ(get("/metrics")->status, 404);
}

TEST(Metrics, AreInPrometheusTextFormat) {
  const observe::Registry registry("test");
  const auto server = start({metrics_route(registry)}, false);
  const auto metrics = must(httplib::Client("127.0.0.1", server->port()).Get("/metrics"));
  EXPECT_EQ(metrics.get_header_value("Content-Type"), "text/plain; version=0.0.4; charset=utf-8");
  EXPECT_THAT(metrics.body, HasSubstr("minicluster_operator_build_info{"));
}

TEST(Metrics, AreForThoseWhoAreNotRefused) {
  const observe::Registry registry("test");
  const auto authorize = [](const Request& request) -> std::optional<Response> {
    if (request.authorization == "Bearer good") return std::nullopt;
    return Response{401, "no \"" + std::string(request.authorization) + "\"\n"};
  };
  for (const bool tls : {false, true}) {
    const auto server = start({metrics_route(registry, authorize)}, tls);
    const auto http = tls ? client(*server) : nullptr;
    const auto get = [&](const httplib::Headers& headers) {
      return tls ? http->Get("/metrics", headers)
                 : httplib::Client("127.0.0.1", server->port()).Get("/metrics", headers);
    };
    EXPECT_EQ(get({{"authorization", "Bearer good"}})->status, 200);
    const auto refused = get({{"Authorization", "Bearer bad"}});
    EXPECT_EQ(refused->status, 401);
    EXPECT_EQ(refused->body, "no \"Bearer bad\"\n");
    EXPECT_EQ(refused->get_header_value("WWW-Authenticate"), "Bearer");
    EXPECT_EQ(get({})->body, "no \"\"\n");
  }
}

}  // namespace
}  // namespace mc::http
