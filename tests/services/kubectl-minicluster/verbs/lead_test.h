#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <optional>
#include <string>
#include <vector>

#include "services/kubectl-minicluster/client/mailbox.h"
#include "services/kubectl-minicluster/verbs/lead_hooks.h"
#include "services/kubectl-minicluster/view/progress.h"

namespace mc::kubectl {

// What `run` does with its lead: it looks, and sleeps until something may have changed.
class LeadTest : public ::testing::Test {
 protected:
  using Steady = std::chrono::steady_clock;

  LeadTest() { ::signal(SIGPIPE, SIG_IGN); }

  LeadHooks hooks() {
    return {[this](const std::string& text) { said_.push_back(text); },
            [this] { mailbox_.wake(); }};
  }

  // Whether it is `done` within 20 s. Nothing tells of what a child process does meanwhile.
  template <class Follower, class Done>
  [[nodiscard]] bool until(Follower& follower, Done done, const std::optional<Lead>& lead,
                           bool is_over = false) {
    const auto limit = Steady::now() + std::chrono::seconds(20);
    while (true) {
      const auto now = Steady::now();
      follower.look(lead, is_over, now);
      if (done()) return true;
      if (now > limit) return false;
      (void)mailbox_.take(std::min(follower.next(), now + std::chrono::milliseconds(50)));
    }
  }

  Mailbox mailbox_;
  std::vector<std::string> said_;
};

}  // namespace mc::kubectl
