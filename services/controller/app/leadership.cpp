#include "services/controller/app/leadership.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <string>
#include <utility>

#include "common/base/unique_name.h"
#include "common/observe/log.h"

namespace mc::controller {
namespace {

[[noreturn]] void end_process(const std::string& why) {
  log::error("Leadership lost, ending", {{"reason", why}});
  std::_Exit(1);
}

// Half the deadline, so that there is time for a second request after one without an answer.
kube::TransportOptions with_timeouts(kube::TransportOptions options,
                                     const kube::LeaseTimes& times) {
  const auto half = std::chrono::floor<std::chrono::seconds>(times.renew_deadline / 2);
  options.connect_timeout = std::max(half, std::chrono::seconds(1));
  options.response_timeout = options.connect_timeout;
  return options;
}

}  // namespace

Result<std::unique_ptr<Leadership>> Leadership::create(
    const std::optional<LeaderElectionOptions>& options, const kube::Config& config,
    kube::TransportOptions transport_options, const Clock& clock, observe::Registry& registry) {
  std::unique_ptr<Leadership> made(new Leadership());
  if (!options) return made;
  const LeaderElectionOptions& wanted = *options;
  auto own =
      kube::Transport::create(config, with_timeouts(std::move(transport_options), wanted.times));
  if (!own) return std::unexpected(own.error());
  made->lease_transport_ = std::move(*own);
  kube::LeaderElectorOptions elector{.ns = wanted.ns.empty() ? config.default_namespace : wanted.ns,
                                     .name = wanted.id,
                                     .identity = unique_name(instance()),
                                     .times = wanted.times};
  kube::LeaderCallbacks callbacks;
  callbacks.on_started_leading = [raw = made.get()] { raw->on_started_(); };
  callbacks.on_stopped_leading = end_process;
  callbacks.log = [](const std::string& sentence) { log::info(sentence); };
  made->elector_ = std::make_unique<kube::LeaderElector>(
      kube::Client(*made->lease_transport_), clock, std::move(elector), std::move(callbacks));
  registry.collect({"leader_election_master_status",
                    observe::MetricType::Gauge,
                    "1 if this process holds the Lease of that name, else 0.",
                    {"name"}},
                   [elector = made->elector_.get(), name = wanted.id] {
                     return std::vector<observe::Sample>{{{name}, elector->leading() ? 1.0 : 0.0}};
                   });
  return made;
}

kube::WriteTime Leadership::may_write_for() const {
  if (!elector_) return {};
  return [elector = elector_.get()] { return elector->may_write_for(); };
}

void Leadership::run(const std::stop_token& stop, std::function<void()> on_started) {
  if (!elector_) return on_started();
  on_started_ = [started = std::move(on_started)] {
    log::info("Leading");
    started();
  };
  elector_->run(stop);
}

std::string instance() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

}  // namespace mc::controller
