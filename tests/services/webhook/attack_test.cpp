#include <gtest/gtest.h>
#include <httplib.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <iostream>
#include <thread>

#include "tests/common/http/raw_client.h"
#include "tests/services/webhook/certificates.h"
#include "tests/services/webhook/requests.h"
#include "tests/support/eventually.h"
#include "tests/support/folders.h"
#include "tests/support/process.h"
#include "tests/support/sanitized.h"
#include "tests/support/service.h"

// The program under all attacks on its ports at once.
namespace mc::webhook {
namespace {

using SteadyClock = std::chrono::steady_clock;
using http::RawClient;
using std::chrono::milliseconds;
using std::chrono::seconds;
using test::kSanitized;

constexpr int kPart = kSanitized ? 10 : 1;  // the load is divided by this
constexpr bool kMemoryIsOurs = !kSanitized;

// Durations in milliseconds, with percentiles.
class Times {
 public:
  void add(SteadyClock::duration took) {
    all_.push_back(std::chrono::duration<double, std::milli>(took).count());
  }
  double quantile(double share) {
    std::ranges::sort(all_);
    return all_.empty()
               ? 0
               : all_[static_cast<std::size_t>(share * static_cast<double>(all_.size() - 1))];
  }
  std::size_t count() const { return all_.size(); }
  std::string text() {
    return std::to_string(count()) + " times, p50 " + std::to_string(quantile(0.5)) + " ms, p99 " +
           std::to_string(quantile(0.99)) + " ms, most " + std::to_string(quantile(1)) + " ms";
  }

 private:
  std::vector<double> all_;
};

// What an API server and a kubelet see of the webhook during the attack.
struct Seen {
  Times admissions, probes;
  int failed_admissions = 0, failed_probes = 0;
  double most_memory = 0;  // MiB
};

class Attack : public testing::Test {
 protected:
  void SetUp() override {
    std::signal(SIGPIPE, SIG_IGN);  // OpenSSL writes to connections that the server has closed
    rlimit files{};
    getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
    if (files.rlim_cur < 8192) GTEST_SKIP() << "needs 8192 file descriptors";
    ASSERT_TRUE(certificates_.made());
    const auto program =
        std::filesystem::read_symlink("/proc/self/exe").parent_path() / "minicluster-webhook";
    service_ = std::make_unique<test::Service>(std::vector<std::string>{
        program.string(), "--host=127.0.0.1", "--port=" + std::to_string(port_),
        "--cert-dir=" + certificates_.folder()});
    ASSERT_TRUE(service_->wait_until_ready());
  }

  // The value of a family's first series with `label` in its labels; -1 if there is none.
  double metric(const std::string& family, const std::string& label = "") const {
    for (const std::string& line : test::lines_of(service_->get("/metrics").value_or(""))) {
      if (!line.starts_with(family + "{") && !line.starts_with(family + " ")) continue;
      if (line.contains(label)) return std::stod(line.substr(line.rfind(' ')));
    }
    return -1;
  }
  double memory() const { return metric("process_resident_memory_bytes") / (1 << 20); }

  Seen watch(const std::function<bool()>& goes_on) {
    Seen seen;
    std::jthread admissions([&] {
      httplib::SSLClient client("127.0.0.1", port_);
      client.enable_server_certificate_verification(false);
      client.set_keep_alive(true);
      client.set_tcp_nodelay(true);
      const std::string body = review_of("CREATE", valid_cluster()).dump();
      while (goes_on()) {
        const auto begin = SteadyClock::now();
        const auto answer = client.Post("/mutate", body, "application/json");
        seen.admissions.add(SteadyClock::now() - begin);
        if (!answer || answer->status != 200) ++seen.failed_admissions;
        std::this_thread::sleep_for(milliseconds(5));  // the rate of a busy API server
      }
    });
    while (goes_on()) {
      const auto begin = SteadyClock::now();
      if (!service_->get("/healthz")) ++seen.failed_probes;
      seen.probes.add(SteadyClock::now() - begin);
      seen.most_memory = std::max(seen.most_memory, memory());
      std::this_thread::sleep_for(milliseconds(20));
    }
    return seen;
  }

  Certificates certificates_;
  const int port_ = test::free_port();
  std::unique_ptr<test::Service> service_;
};

// `POST /mutate` with this body.
std::string post(const std::string& body) {
  return "POST /mutate HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: " +
         std::to_string(body.size()) + "\r\n\r\n" + body;
}

// One hostile input to a port.
struct Blow {
  std::string name;
  std::string bytes;
};

// Inputs that no legitimate client sends.
std::vector<Blow> blows() {
  constexpr std::size_t kMost = std::size_t{7} << 20;
  const std::string get = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n";
  std::string pipelined, huge = "GET / HTTP/1.1\r\n",
                         chunks =
                             "POST /mutate HTTP/1.1\r\nContent-Type: application/json\r\n"
                             "Transfer-Encoding: chunked\r\n\r\n";
  for (int i = 0; i < 200; ++i) pipelined += get;
  for (int i = 0; i < 1000; ++i) huge += "X-Filler: " + std::string(1000, 'x') + "\r\n";
  for (int i = 0; i < 1000; ++i) chunks += "400\r\n" + std::string(0x400, 'x') + "\r\n";
  const std::string twice = R"({"apiVersion":"a","apiVersion":"b","kind":"c","kind":"d"})";
  const std::string large = R"({"spec":{"size":123456789012345678901234567890}})";
  std::string many = "[";
  while (many.size() < kMost - 4) many += "[],";
  many += "1]";
  return {{"pipelining", pipelined},
          {"huge headers", huge},
          {"chunks without end", chunks},
          {"7 MiB and a byte", post(std::string(kMost + 1, ' '))},
          {"7 MiB of empty arrays", post(many)},
          {"JSON 100,000 deep", post(std::string(100'000, '['))},
          {"invalid UTF-8", post("{\"kind\":\"\xff\xfe\xc0\"}")},
          {"duplicate keys", post(twice)},
          {"numbers beyond int64", post(large)},
          {"HTTP/2 preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + std::string(64, '\0')},
          {"a line without end", std::string(std::size_t{4} << 20, 'A')},
          {"two lengths",
           "POST /mutate HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: "
           "2\r\n\r\nxx"}};
}

// Attackers would have their own machines, so their threads yield the CPUs to the program and its
// legitimate clients.
void be_a_stranger() { setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), 19); }

// Attackers that connect and hold as many resources as they can, until the end of `go`.
class Holders {
 public:
  Holders(int admission, int metrics, int probes)
      : idle_([=](const std::stop_token& stop) {
          be_a_stranger();
          std::vector<RawClient> all;
          for (int i = 0; i < 1000 / kPart && !stop.stop_requested(); ++i) {
            if (RawClient one(admission); one.shake_hands()) all.push_back(std::move(one));
            all.emplace_back(i % 2 == 0 ? probes : metrics);
          }
          wait(stop);
        }),
        half_open_([=](const std::stop_token& stop) {
          be_a_stranger();
          std::vector<RawClient> all;
          for (int i = 0; i < 1000 / kPart && !stop.stop_requested(); ++i) {
            all.emplace_back(admission);
            if (i % 4 != 0) all.back().begin_handshake();
          }
          wait(stop);
        }),
        slow_([=](const std::stop_token& stop) {
          be_a_stranger();
          std::vector<RawClient> all;
          const std::string held = post(std::string(69 * (std::size_t{1} << 20) / 10, ' '));
          for (int i = 0; i < 200 / kPart && !stop.stop_requested(); ++i) {
            all.emplace_back(i % 4 == 0 ? metrics : i % 4 == 1 ? probes : admission);
            if (i % 4 < 2) continue;
            if (!all.back().shake_hands()) continue;
            if (i % 8 == 2) all.back().send(held.substr(0, held.size() - 1));
          }
          while (!stop.stop_requested()) {
            for (RawClient& one : all) one.send("P");
            std::this_thread::sleep_for(seconds(2));  // a slow client
          }
        }) {}

 private:
  static void wait(const std::stop_token& stop) {
    while (!stop.stop_requested()) std::this_thread::sleep_for(milliseconds(50));
  }
  std::jthread idle_, half_open_, slow_;
};

void make_short_connections(int admission, int metrics, int probes, int count) {
  for (int i = 0; i < count; ++i) {
    if (i % 4 == 0) {
      RawClient(admission).shake_hands();
    } else {
      RawClient one(i % 4 == 1 ? metrics : probes);
      if (one.send("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n") && i % 8 == 2) one.read(12);
    }
  }
}

void deal_blows(int admission, int metrics, int probes) {
  for (const Blow& blow : blows()) {
    for (const int port : {metrics, probes}) {
      RawClient plain(port);
      plain.send(blow.bytes);
      plain.read(12);
    }
    RawClient tls(admission), plain_on_tls(admission);
    plain_on_tls.send(blow.bytes.substr(0, 1000));
    if (tls.shake_hands() && tls.send(blow.bytes)) tls.read(12);
  }
}

TEST_F(Attack, DelaysNoAdmissionAndNoProbeAndHoldsNoMemory) {
  const auto until = SteadyClock::now() + seconds(2);
  Seen calm = watch([&] { return SteadyClock::now() < until; });
  const double memory_before = memory(), files_before = metric("process_open_fds");
  const int metrics = service_->metrics_port(), probes = service_->probe_port();
  std::atomic<int> busy{3};
  Seen seen;
  {
    const Holders holders(port_, metrics, probes);
    std::vector<std::jthread> others;
    for (int i = 0; i < 2; ++i) {
      others.emplace_back([&] {
        be_a_stranger();
        make_short_connections(port_, metrics, probes, 5000 / kPart);
        --busy;
      });
    }
    others.emplace_back([&] {
      be_a_stranger();
      deal_blows(port_, metrics, probes);
      --busy;
    });
    seen = watch([&] { return busy > 0; });
    std::cout << "shed: admission "
              << metric("minicluster_http_connections_shed_total", "admission") << ", metrics "
              << metric("minicluster_http_connections_shed_total", "\"metrics\"") << ", probes "
              << metric("minicluster_http_connections_shed_total", "probes") << "; over budget: "
              << metric("minicluster_http_requests_over_budget_total", "admission") << "\n";
  }
  const bool freed = test::eventually(
      [&] {
        return metric("minicluster_http_connections", "admission") <= 1 &&
               metric("process_open_fds") <= files_before + 4 &&
               (!kMemoryIsOurs || memory() < memory_before + 8);
      },
      seconds(60));
  std::cout << "calm: admissions " << calm.admissions.text() << "; probes " << calm.probes.text()
            << "\nunder attack: admissions " << seen.admissions.text() << "; probes "
            << seen.probes.text() << "\nmemory: " << memory_before << " MiB before, at most "
            << seen.most_memory << ", " << memory() << " after; files: " << files_before
            << " before, " << metric("process_open_fds") << " after\n";
  EXPECT_TRUE(freed);
  EXPECT_EQ(calm.failed_admissions + seen.failed_admissions, 0);
  EXPECT_EQ(calm.failed_probes + seen.failed_probes, 0);
  EXPECT_LT(seen.admissions.quantile(0.99), std::max(100., 20 * calm.admissions.quantile(0.99)));
  EXPECT_LT(seen.probes.quantile(0.99), std::max(100., 20 * calm.probes.quantile(0.99)));
  if (kMemoryIsOurs) {
    EXPECT_LT(seen.most_memory, 96) << "three quarters of the chart's limit";
  }
  service_->stop();
}

}  // namespace
}  // namespace mc::webhook
