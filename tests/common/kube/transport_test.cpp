#include "common/kube/transport.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <future>
#include <latch>
#include <thread>
#include <vector>

#include "tests/common/kube/transport_to.h"
#include "tests/support/loopback_server.h"

namespace mc::kube {
namespace {

using std::chrono::seconds;
using test::issue;
using test::LoopbackServer;
using test::make_authority;
using ::testing::MatchesRegex;

TEST(Transport, SendsWhatTheRequestSays) {
  LoopbackServer server;
  httplib::Request seen;
  server.routes().Patch(".*", [&](const httplib::Request& request, httplib::Response& response) {
    seen = request;
    response.set_header("Retry-After", "7");
    response.status = 429;
    response.set_content("busy", "text/plain");
  });
  server.start();
  Config config;
  config.token = "t0ken";
  auto transport = transport_to(server.url() + "/prefix", {}, config);
  Request request = get("/api/v1/pods?labelSelector=a%3Db%2Bc");
  request.method = "PATCH";
  request.body = "{}";
  request.content_type = "application/merge-patch+json";
  request.accept = "application/json;x=y";
  const Response response = test::must(transport->send(request));
  EXPECT_EQ(response.status, 429);
  EXPECT_EQ(response.body, "busy");
  EXPECT_EQ(response.retry_after_s, 7);
  EXPECT_EQ(seen.target, "/prefix/api/v1/pods?labelSelector=a%3Db%2Bc");
  EXPECT_EQ(seen.body, "{}");
  EXPECT_EQ(seen.get_header_value("Content-Type"), "application/merge-patch+json");
  EXPECT_EQ(seen.get_header_value("Accept"), "application/json;x=y");
  EXPECT_EQ(seen.get_header_value("Authorization"), "Bearer t0ken");
  EXPECT_EQ(seen.get_header_value("Host"), "127.0.0.1:" + std::to_string(server.port()));
  EXPECT_EQ(seen.get_header_value("User-Agent"), Config().user_agent);
}

TEST(Transport, ReadsTheTokenFileForEachRequest) {
  LoopbackServer server;
  server.routes().Get("/who", [](const httplib::Request& request, httplib::Response& response) {
    response.set_content(request.get_header_value("Authorization"), "text/plain");
  });
  server.start();
  const auto file =
      std::filesystem::path(testing::TempDir()) / ("token-" + std::to_string(::getpid()));
  Config config;
  config.token_file = file;
  auto transport = transport_to(server.url(), {}, config);
  std::ofstream(file) << "one\n";
  EXPECT_EQ(transport->send(get("/who"))->body, "Bearer one");
  std::ofstream(file) << "two\n";
  EXPECT_EQ(transport->send(get("/who"))->body, "Bearer two");
  std::filesystem::remove(file);
  EXPECT_EQ(transport->send(get("/who")).error().message,
            "cannot read token file " + file.string());
}

TEST(Transport, TalksToAUnixSocketByTheNameThatAProxyAccepts) {
  const auto path =
      std::filesystem::path(testing::TempDir()) / ("socket-" + std::to_string(::getpid()));
  httplib::Server server;
  server.set_address_family(AF_UNIX);
  server.Get("/host", [](const httplib::Request& request, httplib::Response& response) {
    response.set_content(request.get_header_value("Host"), "text/plain");
  });
  server.Get("/lines", [](const httplib::Request&, httplib::Response& response) {
    response.set_content("one\ntwo\n", "text/plain");
  });
  ASSERT_TRUE(server.bind_to_port(path.string(), 80));
  const std::jthread listener([&] { server.listen_after_bind(); });
  Config config;
  config.unix_socket = path;
  const auto transport = transport_to("http://localhost", {}, config);
  EXPECT_EQ(test::must(transport->send(get("/host"))).body, "localhost");
  EXPECT_EQ(test::must(transport->send(get("/host"))).body, "localhost");
  std::vector<std::string> lines;
  EXPECT_TRUE(transport->stream(get("/lines"), {}, [&](std::string_view line) {
    lines.emplace_back(line);
    return true;
  }));
  EXPECT_EQ(lines, (std::vector<std::string>{"one", "two"}));
  server.stop();
  std::filesystem::remove(path);
}

TEST(Transport, KeepsItsConnectionAndMakesANewOneWhenTheServerClosedIt) {
  LoopbackServer server;
  server.routes().Get("/port", [](const httplib::Request& request, httplib::Response& response) {
    response.set_content(std::to_string(request.remote_port), "text/plain");
  });
  server.start();
  server.routes().set_keep_alive_max_count(2);
  auto transport = transport_to(server.url());
  std::vector<std::string> ports;
  for (int i = 0; i < 4; ++i) {
    ports.push_back(test::must(transport->send(get("/port"))).body);
  }
  EXPECT_EQ(ports[0], ports[1]);
  EXPECT_NE(ports[1], ports[2]);
  EXPECT_EQ(ports[2], ports[3]);
}

TEST(Transport, ServesManyThreadsAtOnce) {
  constexpr int kThreads = 6;
  LoopbackServer server;
  std::latch all_are_here(kThreads);
  server.routes().Get("/meet", [&](const httplib::Request&, httplib::Response& response) {
    all_are_here.arrive_and_wait();  // never returns if requests wait for each other
    response.set_content("{}", "application/json");
  });
  server.start();
  std::atomic<int> observed = 0;
  TransportOptions options;
  options.observer = [&](int code, const std::string& method, auto took) {
    if (code == 200 && method == "GET" && took.count() > 0) ++observed;
  };
  auto transport = transport_to(server.url(), options);
  std::vector<std::future<bool>> answers;
  for (int i = 0; i < kThreads; ++i) {
    answers.push_back(std::async(std::launch::async, [&] {
      auto response = transport->send(get("/meet"));
      return response && response->status == 200;
    }));
  }
  for (auto& answer : answers) EXPECT_TRUE(answer.get());
  EXPECT_EQ(observed, kThreads);
}

TEST(Transport, SaysThatNobodyAnswers) {
  int code = -1;
  TransportOptions options;
  options.observer = [&](int seen, const std::string&, auto) { code = seen; };
  std::string url;
  {
    LoopbackServer gone;
    gone.start();
    url = gone.url();
  }
  auto response = transport_to(url, options)->send(get("/x"));
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().kind, ErrorKind::Unavailable);
  // The library's message, which differs between versions.
  EXPECT_THAT(response.error().message, MatchesRegex("get /x: " + url.substr(7) +
                                                     ": (Connection|Could not establish connection)"
                                                     " error"));
  EXPECT_EQ(code, 0);
}

TEST(Transport, GivesUpOnASilentServer) {
  const LoopbackServer server(test::silence);
  TransportOptions options;
  options.response_timeout = seconds{1};
  auto response = transport_to(server.url(), options)->send(get("/x"));
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().kind, ErrorKind::Unavailable);
  EXPECT_EQ(response.error().message,
            "get /x: " + server.url().substr(7) + ": connection lost, or no answer in time");
}

TEST(Transport, RefusesARequestWithoutAPath) {
  auto response = transport_to("http://127.0.0.1:1")->send(request::remove(kJobs, "a", ""));
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().kind, ErrorKind::Invalid);
  EXPECT_EQ(response.error().message, "delete Job in a: the object has no name");
}

// Streams.

// Starts the server, which answers a watch with these chunks.
void serve_text(LoopbackServer& server, const std::vector<std::string>& chunks, bool whole) {
  server.routes().Get("/watch", [=](const httplib::Request&, httplib::Response& response) {
    response.set_chunked_content_provider("application/json",
                                          [=](std::size_t, httplib::DataSink& sink) {
                                            for (const auto& chunk : chunks)
                                              sink.write(chunk.data(), chunk.size());
                                            if (whole) sink.done();
                                            return whole;
                                          });
  });
  server.start();
}

TEST(Stream, GivesLinesHoweverTheyWereCut) {
  LoopbackServer server;
  serve_text(server, {"{\"a\"", ":1}\n{\"b\":2}\n\n", "{\"c\":3}", "\n", "half a line"}, true);
  std::vector<std::string> lines;
  auto end = transport_to(server.url())->stream(get("/watch"), {}, [&](std::string_view line) {
    lines.emplace_back(line);
    return true;
  });
  EXPECT_TRUE(end) << end.error().message;
  EXPECT_EQ(lines, (std::vector<std::string>{"{\"a\":1}", "{\"b\":2}", "{\"c\":3}"}));
}

TEST(Stream, ReadGivesEveryByteAlsoEmptyLinesAndTheRest) {
  LoopbackServer server;
  serve_text(server, {"a\n\n", "b\nhalf a line"}, true);
  std::string text;
  const auto end = transport_to(server.url())->read(get("/watch"), {}, [&](std::string_view bytes) {
    text += bytes;
    return true;
  });
  EXPECT_TRUE(end) << end.error().message;
  EXPECT_EQ(text, "a\n\nb\nhalf a line");
}

TEST(Stream, EndsWhenTheReceiverHasEnough) {
  LoopbackServer server;
  serve_text(server, {"1\n2\n3\n"}, true);
  int lines = 0;
  auto end = transport_to(server.url())->stream(get("/watch"), {}, [&](std::string_view) {
    return ++lines < 2;
  });
  EXPECT_TRUE(end) << end.error().message;
  EXPECT_EQ(lines, 2);
}

TEST(Stream, SaysThatItWasCut) {
  LoopbackServer server;
  serve_text(server, {"1\n"}, false);
  int lines = 0;
  auto end = transport_to(server.url())->stream(get("/watch"), {}, [&](std::string_view) {
    return ++lines > 0;
  });
  ASSERT_FALSE(end);
  EXPECT_EQ(end.error().kind, ErrorKind::Unavailable);
  EXPECT_EQ(lines, 1);
}

TEST(Stream, IsUnavailableWhenNothingComes) {
  const LoopbackServer server(test::silence);
  TransportOptions options;
  options.stream_idle_timeout = seconds{1};
  auto end = transport_to(server.url(), options)->stream(get("/watch"), {}, [](std::string_view) {
    return true;
  });
  ASSERT_FALSE(end);
  EXPECT_EQ(end.error().kind, ErrorKind::Unavailable);
}

TEST(Stream, IsRefusedWithTheServersWords) {
  LoopbackServer server;
  server.routes().Get("/watch", [](const httplib::Request&, httplib::Response& response) {
    response.status = 410;
    response.set_content(
        R"({"kind":"Status","code":410,"reason":"Expired","message":"too old resource version"})",
        "application/json");
  });
  server.start();
  auto end = transport_to(server.url())->stream(get("/watch"), {}, [](std::string_view) {
    ADD_FAILURE() << "a refusal is no line";
    return true;
  });
  ASSERT_FALSE(end);
  EXPECT_EQ(end.error().kind, ErrorKind::Gone);
  EXPECT_EQ(end.error().message, "get /watch: 410 Expired: too old resource version");
}

TEST(Stream, RefusesALineWithoutEnd) {
  LoopbackServer server;
  const std::string much(1 << 20, 'x');
  serve_text(server, std::vector<std::string>(20, much), true);
  auto end =
      transport_to(server.url())->stream(get("/watch"), {}, [](std::string_view) { return true; });
  ASSERT_FALSE(end);
  EXPECT_EQ(end.error().kind, ErrorKind::Malformed);
}

// Runs a stream until its first line (or, for a silent server, not at all), stops it, and returns
// whether it ended. The limit of one minute is far above the time needed and far below 295 s.
bool ends_when_stopped(Transport& transport, bool wait_for_line) {
  std::stop_source stop;
  std::promise<void> first_line;
  auto stream = std::async(std::launch::async, [&] {
    return transport.stream(get("/watch"), stop.get_token(), [&](std::string_view) {
      first_line.set_value();
      return true;
    });
  });
  if (wait_for_line) first_line.get_future().wait();
  stop.request_stop();
  if (stream.wait_for(seconds{600}) != std::future_status::ready) std::abort();
  return stream.get().has_value();
}

class OpenStream : public testing::TestWithParam<bool> {};

TEST_P(OpenStream, EndsWhenStopIsRequested) {
  const auto authority = make_authority("ca");
  std::unique_ptr<LoopbackServer> server =
      GetParam() ? std::make_unique<LoopbackServer>(issue(authority, "s", "IP:127.0.0.1"))
                 : std::make_unique<LoopbackServer>();
  std::promise<void> let_go;
  auto gone = let_go.get_future().share();
  server->routes().Get("/watch", [=](const httplib::Request&, httplib::Response& response) {
    response.set_chunked_content_provider("application/json",
                                          [=](std::size_t, httplib::DataSink& sink) {
                                            sink.write("{}\n", 3);
                                            gone.wait();
                                            return false;
                                          });
  });
  server->start();
  Config config;
  config.ca_pem = authority.certificate_pem;
  auto transport = transport_to(server->url(), {}, config);
  EXPECT_TRUE(ends_when_stopped(*transport, true));
  let_go.set_value();
}

INSTANTIATE_TEST_SUITE_P(PlainAndTls, OpenStream, testing::Bool());

TEST(Stream, OfASilentServerEndsWhenStopIsRequestedAtAnyTime) {
  const LoopbackServer server(test::silence);
  auto plain = transport_to(server.url());
  auto tls = transport_to("https" + server.url().substr(4));
  for (int i = 0; i < 4; ++i) {
    EXPECT_TRUE(ends_when_stopped(i % 2 == 0 ? *plain : *tls, false));
  }
}

TEST(Stream, DoesNotConnectOnceStopped) {
  const LoopbackServer server(test::silence);
  std::stop_source stop;
  stop.request_stop();
  auto end =
      transport_to(server.url())->stream(get("/watch"), stop.get_token(), [](std::string_view) {
        return true;
      });
  EXPECT_TRUE(end) << end.error().message;
}

}  // namespace
}  // namespace mc::kube
