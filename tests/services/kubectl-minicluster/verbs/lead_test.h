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
#include "tests/services/kubectl-minicluster/verbs/run_messages.h"

namespace mc::kubectl {

// What `run` does with its lead: it looks, and sleeps until something may have changed.
class LeadTest : public ::testing::Test {
 protected:
  using Steady = std::chrono::steady_clock;

  LeadTest() { ::signal(SIGPIPE, SIG_IGN); }

  LeadHooks hooks() {
    return {[this](const std::string& text) {
              said_.push_back(text);
              collect_run_message("lammps: " + text, "lammps: " + own_words(text));
            },
            [this] { mailbox_.wake(); }};
  }

  // Without what another program has said.
  static std::string own_words(const std::string& text) {
    return text.substr(0, text.find(": ", text.starts_with("error: ") ? 7 : 0));
  }

  // Whether it is `done` within 20 s. Nothing tells of what a child process does meanwhile. For the
  // follower, `skipped` more passes between two looks.
  template <class Follower, class Done>
  [[nodiscard]] bool until(Follower& follower, Done done, const std::optional<Lead>& lead,
                           bool is_over = false, Steady::duration skipped = {}) {
    const auto limit = Steady::now() + std::chrono::seconds(20);
    while (true) {
      const auto now = Steady::now();
      follower.look(lead, is_over, now + ahead_);
      if (done()) return true;
      if (now > limit) return false;
      (void)mailbox_.take(std::min(follower.next() - ahead_, now + std::chrono::milliseconds(50)));
      ahead_ += skipped;
    }
  }

  Mailbox mailbox_;
  std::vector<std::string> said_;
  Steady::duration ahead_{};
};

}  // namespace mc::kubectl
