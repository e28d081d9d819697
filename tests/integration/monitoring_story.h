#pragma once
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "tests/integration/certificates_story.h"
#include "tests/integration/nodes.h"
#include "tests/support/prometheus.h"
#include "tests/support/temporary_folder.h"

namespace mc::test {

// How often metrics are scraped, and the leader election of the controllers; in seconds.
struct Pace {
  int scrape = 1;
  int lease = 6, renew = 4, retry = 1;
};

// The operator as the chart installs it, two replicas of each program, with MiniClusters of every
// kind on two nodes, a constant load of valid and invalid ones, and a Prometheus. It scrapes the
// first replica of each program over TLS (the controller with a token, the webhook with verified
// certificate), the second over plain HTTP.
class Monitored {
 public:
  explicit Monitored(Pace pace = {});
  ~Monitored();
  Monitored(const Monitored&) = delete;
  Monitored& operator=(const Monitored&) = delete;

  const Kubectl& kubectl() const { return users_.kubectl(); }  // the users' namespace
  const Prometheus& prometheus() const { return *prometheus_; }

  // Kills the leading controller as a power failure would, waits until the other one leads, and
  // starts a replacement.
  void kill_leader();
  // Stops it as a rolling update does, and starts a replacement.
  void replace_webhook(std::size_t which);

  // The current metrics of the replicas that serve plain HTTP.
  std::vector<std::string> texts() const;

  // Waits until Prometheus has scraped every target successfully twice from now.
  void scraped() const;

 private:
  bool leads(std::size_t which) const;
  // The index of the leading controller; the test fails if none leads in time.
  std::size_t leader() const;
  void make_operator();
  void start_controller(std::size_t which);
  void start_webhook(std::size_t which);
  void allow_prometheus();
  void write_target(const std::string& component, std::size_t which, int port);
  json scrape_config(const std::string& component, std::size_t which) const;
  void make_miniclusters();
  void apply_all_the_time(const std::stop_token& stop);
  void end_the_running();

  Namespace operator_{Stage::get().kubectl()}, users_{Stage::get().kubectl()};
  const std::string ns_ = operator_.kubectl().namespace_name();
  const TemporaryFolder folder_;
  const std::unique_ptr<kube::Transport> transport_;
  const kube::Client client_{*transport_};
  const std::array<int, 2> ports_{free_port(), free_port()};
  std::unique_ptr<Nodes> nodes_;
  std::optional<Mount> mount_;
  std::array<std::optional<Service>, 2> controllers_, webhooks_;
  std::optional<Prometheus> prometheus_;
  const Pace pace_;
  int replaced_ = 0;
  std::jthread load_;
};

class MonitoringStory : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { there_ = std::make_unique<Monitored>(); }
  static void TearDownTestSuite() { there_.reset(); }

  static Monitored& there() { return *there_; }

  static std::unique_ptr<Monitored> there_;
};

}  // namespace mc::test
