#pragma once
#include <string>

#include "services/controller/app/options.h"

namespace CLI {
class App;
}

// Groups of the controller's flags: each adds its own and says afterwards which do not go together.
// Internal to options.cpp.
namespace mc::controller {

struct LeaderElectionFlags {
  bool enabled = false;
  LeaderElectionOptions options;
};
void add_leader_election(CLI::App& app, LeaderElectionFlags& flags);
// Why these do not go together; "" if they do.
[[nodiscard]] std::string mistake(const LeaderElectionOptions& options);

void add_metrics(CLI::App& app, Options& options);

void add_webhook(CLI::App& app, WebhookCertificateOptions& options);
// The same; of options that name a Secret.
[[nodiscard]] std::string mistake(const WebhookCertificateOptions& options);

}  // namespace mc::controller
