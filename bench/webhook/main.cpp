#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "bench/support/loopback.h"
#include "bench/support/plot.h"
#include "bench/support/report.h"
#include "bench/support/server.h"
#include "bench/webhook/connection.h"
#include "bench/webhook/load.h"
#include "bench/webhook/reviews.h"

// Usage: bench_webhook WEBHOOK REFERENCE FOLDER OUT [REQUESTS]: minicluster-webhook and one on
// controller-runtime (reference/), in alternating rounds on the same machine; FOLDER has tls.crt
// and tls.key. REQUESTS (100,000) are sent before memory is read; 0: only the CPU time of the short
// reviews is measured. The plot and webhook.tsv (Report::tsv) go to the folder OUT.
//
// Usage: bench_webhook --send COUNT REVIEW WEBHOOK FOLDER: starts WEBHOOK, sends it one review
// ("mutate", "validate") that many times and stops it, for bench/gate.sh, which counts
// instructions.
namespace mc::bench {
namespace {

constexpr int kRounds = 5, kStarts = 5;
constexpr double kRoundSeconds = 1;
constexpr double kRate = 2'000;

std::unique_ptr<Server> ours(const std::string& program, const std::string& folder) {
  const int port = free_port();
  return std::make_unique<Server>(
      "ours",
      std::vector<std::string>{program, "--host", "127.0.0.1", "--port", std::to_string(port),
                               "--cert-dir", folder, "--metrics-bind-address", "0",
                               "--health-probe-bind-address", "0"},
      port);
}

std::unique_ptr<Server> reference(const std::string& program, const std::string& folder) {
  const int port = free_port();
  return std::make_unique<Server>(
      "reference", std::vector<std::string>{program, std::to_string(port), folder}, port);
}

double p99(const Outcome& outcome) {
  return outcome.latencies[outcome.latencies.size() * 99 / 100];
}

// A figure's words, and the target of ours divided by the reference's.
struct Row {
  std::string what;
  std::optional<Goal> target = std::nullopt;
};

// Medians over alternating rounds. `measure(server)` returns a figure for each row.
void compared(Report& report, Server& ours, Server& reference, const std::vector<Row>& rows,
              int rounds, const std::function<std::vector<double>(const Server&)>& measure) {
  std::vector<std::vector<double>> a(rows.size()), b(rows.size());
  for (int round = 0; round < rounds; ++round) {
    const std::vector<double> one = measure(ours), other = measure(reference);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      a[i].push_back(one[i]);
      b[i].push_back(other[i]);
    }
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    report.add(over_rounds(rows[i].what, a[i], b[i], rows[i].target));
  }
}

// Throws unless the server decides as it should.
void check(const Server& server, const Review& review) {
  Connection connection(server.port());
  const std::string& answer = connection.exchange(http_post(review.path, review.body, ""));
  const bool allowed = answer.contains("\"allowed\":true");
  if (allowed != review.allowed) throw std::runtime_error(server.name() + ": " + answer);
}

// CPU time and throughput with each connection always in use.
void back_to_back_rows(Report& report, Server& ours, Server& reference, const Review& review,
                       std::optional<Goal> cpu_target = std::nullopt,
                       std::optional<Goal> rate_target = std::nullopt) {
  const std::string request = http_post(review.path, review.body);
  const double kib = static_cast<double>(review.body.size()) / 1024;
  check(ours, review);
  check(reference, review);
  compared(report, ours, reference,
           {{review.name + ", CPU us/request", cpu_target},
            {review.name + ", CPU us/KiB"},
            {review.name + ", requests/s", rate_target}},
           kRounds, [&](const Server& server) -> std::vector<double> {
             const double before = server.cpu_seconds();
             const Outcome got = back_to_back(server.port(), request, kRoundSeconds);
             const auto count = static_cast<double>(got.requests);
             const double cpu = (server.cpu_seconds() - before) * 1e6 / count;
             return {cpu, cpu / kib, count / got.seconds};
           });
}

void rate_rows(Report& report, Server& ours, Server& reference, const Review& review) {
  const std::string request = http_post(review.path, review.body);
  compared(report, ours, reference,
           {{review.name + " at 2,000/s, p99 ms", Goal{0.125}},
            {review.name + " at 2,000/s, CPU us/request"},
            {review.name + " at 2,000/s, waits for a processor us/request"}},
           kRounds, [&](const Server& server) -> std::vector<double> {
             const double before = server.cpu_seconds(), waited = server.waited_seconds();
             const Outcome got = at_rate(server.port(), request, kRate, kRoundSeconds);
             const auto count = static_cast<double>(got.requests);
             return {p99(got) * 1e3, (server.cpu_seconds() - before) * 1e6 / count,
                     (server.waited_seconds() - waited) * 1e6 / count};
           });
}

void memory_row(Report& report, Server& ours, Server& reference, const Review& review,
                std::size_t requests) {
  const std::string request = http_post(review.path, review.body);
  const auto after_many = [&](const Server& server) {
    for (std::size_t sent = 0; sent < requests;) {
      sent += back_to_back(server.port(), request, kRoundSeconds).requests;
    }
    return server.anonymous_mib();
  };
  const double a = after_many(ours), b = after_many(reference);
  report.add({.what = "RssAnon MiB after " + std::to_string(requests),
              .ours = a,
              .reference = b,
              .target = Goal{6},
              .target_is_ours = true});
}

using Start = std::function<std::unique_ptr<Server>()>;

// From the start of the process to its first answer.
double first_answer_ms(const Start& start, const Review& review) {
  std::vector<double> all;
  for (int i = 0; i < kStarts; ++i) {
    const std::unique_ptr<Server> server = start();
    const auto begin = std::chrono::steady_clock::now();
    check(*server, review);
    const std::chrono::duration<double> answered = std::chrono::steady_clock::now() - begin;
    all.push_back((server->start_took() + answered).count() * 1e3);
  }
  return median(all);
}

void measure(Report& report, const Start& start_ours, const Start& start_reference,
             const std::vector<Review>& all, std::size_t requests) {
  {
    const auto a = start_ours(), b = start_reference();
    back_to_back_rows(report, *a, *b, all[0], Goal{0.333}, Goal{3, true});
    back_to_back_rows(report, *a, *b, all[1], Goal{0.5});
    if (requests == 0) return;
    rate_rows(report, *a, *b, all[0]);
    rate_rows(report, *a, *b, all[1]);
    memory_row(report, *a, *b, all[0], requests);
  }
  {
    const auto a = start_ours(), b = start_reference();
    for (std::size_t i = 2; i < all.size(); ++i) back_to_back_rows(report, *a, *b, all[i]);
  }
  report.add({.what = "first answer ms",
              .ours = first_answer_ms(start_ours, all[0]),
              .reference = first_answer_ms(start_reference, all[0]),
              .target = Goal{100},
              .target_is_ours = true});
}

void run(const std::string& program, const std::string& other, const std::string& folder,
         const std::string& out, std::size_t requests) {
  const Start start_ours = [&] { return ours(program, folder); };
  const Start start_reference = [&] { return reference(other, folder); };
  const std::vector<Review> all = reviews();
  std::printf("%d connections; medians of %d alternating rounds; bodies of", kConnections, kRounds);
  for (const Review& one : all) std::printf(" %zu", one.body.size());
  std::puts(" bytes");
  Report report(std::cout);
  measure(report, start_ours, start_reference, all, requests);
  save(out + "/webhook.svg", report.svg());
  save(out + "/webhook.tsv", report.tsv());
}

void send(int count, const std::string& name, const std::string& program,
          const std::string& folder) {
  const std::vector<Review> all = reviews();
  const auto review = std::ranges::find(all, name, &Review::name);
  if (review == all.end()) throw std::runtime_error("no review " + name);
  const auto server = ours(program, folder);
  check(*server, *review);
  Connection connection(server->port());
  const std::string request = http_post(review->path, review->body);
  for (int i = 0; i < count; ++i) connection.exchange(request);
}

}  // namespace
}  // namespace mc::bench

int main(int argc, char** argv) {
  if (argc < 5) {
    std::fputs(
        "usage: bench_webhook WEBHOOK REFERENCE FOLDER OUT [REQUESTS]\n"
        "       bench_webhook --send COUNT REVIEW WEBHOOK FOLDER\n",
        stderr);
    return 2;
  }
  try {
    if (std::string_view(argv[1]) == "--send" && argc == 6) {
      mc::bench::send(std::stoi(argv[2]), argv[3], argv[4], argv[5]);
      return 0;
    }
    mc::bench::run(argv[1], argv[2], argv[3], argv[4], argc > 5 ? std::stoul(argv[5]) : 100'000);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_webhook: %s\n", error.what());
    return 1;
  }
}
