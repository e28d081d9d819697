#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>
#include <netinet/in.h>
#include <openssl/ssl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/services/webhook/certificates.h"
#include "tests/services/webhook/requests.h"

// The program as a process: exit codes, signals, output.
namespace mc::webhook {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// The program with its standard error in a pipe. The destructor ends it.
class Process {
 public:
  explicit Process(std::vector<std::string> arguments) {
    const auto program =
        std::filesystem::read_symlink("/proc/self/exe").parent_path() / "minicluster-webhook";
    arguments.insert(arguments.begin(), program.string());
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    std::array<int, 2> ends{};
    EXPECT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
    EXPECT_EQ(::posix_spawn(&pid_, argv[0], &actions, nullptr, argv.data(), environ), 0);
    posix_spawn_file_actions_destroy(&actions);
    ::close(ends[1]);
    errors_ = ::fdopen(ends[0], "r");
  }
  ~Process() {
    if (pid_ > 0) {
      ::kill(pid_, SIGKILL);
      exit_code();
    }
    std::fclose(errors_);
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  // The next line of its standard error with this text; "" if it ends first.
  std::string line_with(const std::string& text) {
    std::array<char, 4096> line{};
    while (std::fgets(line.data(), line.size(), errors_) != nullptr) {
      if (std::string(line.data()).contains(text)) return line.data();
    }
    return "";
  }
  void signal(int number) const { ::kill(pid_, number); }
  int exit_code() {
    int status = 0;
    ::waitpid(pid_, &status, 0);
    pid_ = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  pid_t pid_ = 0;
  std::FILE* errors_ = nullptr;
};

// One TLS connection, whose bytes the test sends explicitly.
class Connection {
 public:
  explicit Connection(int port)
      : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)),
        context_(SSL_CTX_new(TLS_client_method())),
        ssl_(SSL_new(context_)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    SSL_set_fd(ssl_, socket_);
    connected_ = ::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0 &&
                 SSL_connect(ssl_) == 1;
  }
  ~Connection() {
    SSL_free(ssl_);
    SSL_CTX_free(context_);
    ::close(socket_);
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  bool connected() const { return connected_; }
  void send(const std::string& bytes) {
    SSL_write(ssl_, bytes.data(), static_cast<int>(bytes.size()));
  }
  // Reads up to `most` bytes; fewer if the connection ends.
  std::string read(std::size_t most = std::string::npos) {
    std::string all;
    char c = 0;
    while (all.size() < most && SSL_read(ssl_, &c, 1) == 1) all += c;
    return all;
  }

 private:
  int socket_;
  SSL_CTX* context_;
  SSL* ssl_;
  bool connected_ = false;
};

int number_after(const std::string& line, const std::string& text) {
  return std::stoi(line.substr(line.find(text) + text.size()));
}

TEST(ProcessTest, SigtermFinishesTheRequestUnderWayAndExitsWith0) {
  const Certificates certificates;
  ASSERT_TRUE(certificates.made());
  Process webhook({"--host=127.0.0.1", "--port=0", "--metrics-bind-address=0",
                   "--health-probe-bind-address=127.0.0.1:0",
                   "--cert-dir=" + certificates.folder()});
  const std::string serving = webhook.line_with("\"Serving admission\"");
  ASSERT_NE(serving, "");
  Connection connection(number_after(serving, " port=\""));
  ASSERT_TRUE(connection.connected());
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
  Process webhook({"--host=127.0.0.1", "--port=0", "--metrics-bind-address=0",
                   "--health-probe-bind-address=127.0.0.1:0", "--shutdown-delay-duration=1h",
                   "--cert-dir=" + certificates.folder()});
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

TEST(ProcessTest, WhatItCannotStartWithIsOneLineAndExitCode1) {
  Process webhook({"--cert-dir=/nowhere"});
  EXPECT_EQ(webhook.line_with(""),
            "minicluster-webhook: cannot read /nowhere/tls.crt: No such file or directory\n");
  EXPECT_EQ(webhook.line_with(""), "");
  EXPECT_EQ(webhook.exit_code(), 1);
}

TEST(ProcessTest, CheckExitsWithItsVerdict) {
  Process unreadable({"check", "-f", "/nowhere/x.yaml"});
  EXPECT_EQ(unreadable.line_with(""), "/nowhere/x.yaml: No such file or directory\n");
  EXPECT_EQ(unreadable.exit_code(), 2);
  Process mistaken({"--prot=1"});
  EXPECT_EQ(mistaken.exit_code(), 2);
}

}  // namespace
}  // namespace mc::webhook
