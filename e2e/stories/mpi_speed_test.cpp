#include <algorithm>
#include <iomanip>
#include <iostream>
#include <map>
#include <sstream>

#include "e2e/stories/mpi.h"

// How long a ring and an Allreduce take between pods, and the same on one host. Only `make
// mpi-matrix` runs it, because it measures. The table goes to docs/performance.md.
namespace mc::e2e {
namespace {

// By the name of the step and the length of its message.
using Times = std::map<std::pair<std::string, int>, std::vector<double>>;

constexpr int kRounds = 5;
constexpr const char* kSpeed = "/mpi/openmpi-4/speed";

double median(std::vector<double> of) {
  EXPECT_EQ(of.size(), kRounds) << "a program did not run";
  std::ranges::sort(of);
  return of.empty() ? 0 : of[of.size() / 2];
}

std::string microseconds(double time) {
  std::ostringstream out;
  out << std::fixed << std::setprecision(time < 10 ? 1 : 0) << time << " µs";
  return out.str();
}

void add(const std::string& output, Times& to) {
  std::istringstream lines(output);
  std::string name;
  int length;
  double time;
  while (lines >> name >> length >> time) to[{name, length}].push_back(time);
}

class RealFluxMpiSpeed : public PodStory {
 protected:
  // A pod on the network of the node.
  void start_host() const {
    json pod = mpi_pod("host", kOpenMpi4, {"sleep", "900"});
    pod["spec"]["hostNetwork"] = true;
    apply(pod);
    kubectl.must({"wait", "pod/host", "--for=condition=Ready", "--timeout=120s"});
  }
  std::string on_host(int ranks, const std::string& transport) const {
    return kubectl.must({"exec", "host", "--", "mpirun", "--allow-run-as-root", "--oversubscribe",
                         "-n", std::to_string(ranks), "--mca", "mpi_yield_when_idle", "1", "--mca",
                         "btl", transport, "--mca", "btl_tcp_if_include", "lo", kSpeed});
  }
  std::string in_pods(int pods, int ranks) const {
    return ask_flux("pods", "flux run --exclusive -N" + std::to_string(pods) +
                                " --tasks-per-node=" + std::to_string(ranks / pods) +
                                " -o cpu-affinity=off " + kYield + " " + kSpeed + " </dev/null")
        .out;
  }
};

TEST_F(RealFluxMpiSpeed, OfARingAndAnAllreduceBetweenPodsIsToldBesideThatOnOneHost) {
  json pods = mpi_minicluster("pods", 4, 4, kOpenMpi4, "", "");
  pods["spec"]["interactive"] = true;
  apply(pods);
  start_host();
  ASSERT_TRUE(reaches("pods", "Ready", std::chrono::seconds(180)));
  flux_answers("pods", "flux run -N4 true && echo started", "started");
  std::ostringstream out;
  out << std::fixed << std::setprecision(2);
  for (const int ranks : {2, 4}) {
    Times between, tcp, one_pod, shared;
    for (int round = 0; round < kRounds; ++round) {
      add(in_pods(ranks, ranks), between);
      add(on_host(ranks, "self,tcp"), tcp);
      add(in_pods(1, ranks), one_pod);
      add(on_host(ranks, "self,vader"), shared);
    }
    out << "| " << ranks
        << " ranks | pods, pod network | host, TCP | ratio | one pod | host, shared "
        << "memory | ratio |\n| --- | --- | --- | --- | --- | --- | --- |\n";
    for (const auto& [step, times] : between) {
      const double network = median(times), of_host = median(tcp[step]),
                   inside = median(one_pod[step]), memory = median(shared[step]);
      out << "| " << step.first << ", " << step.second << " bytes | " << microseconds(network)
          << " | " << microseconds(of_host) << " | " << network / of_host << " | "
          << microseconds(inside) << " | " << microseconds(memory) << " | " << inside / memory
          << " |\n";
      EXPECT_GT(network, inside) << "messages between pods do not take the network";
    }
    ASSERT_EQ(between.size(), 6U);
    out << "\n";
  }
  std::cout << out.str();
  write_measured("docs/performance.md", out.str());
}

}  // namespace
}  // namespace mc::e2e
