#pragma once
#include <atomic>
#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "common/base/json.h"
#include "common/base/result.h"
#include "services/kubectl-minicluster/client/mailbox.h"
#include "services/kubectl-minicluster/client/session.h"
#include "services/kubectl-minicluster/client/stop_requests.h"
#include "services/kubectl-minicluster/client/watch.h"
#include "services/kubectl-minicluster/verbs/output_files.h"
#include "services/kubectl-minicluster/verbs/run_display.h"
#include "services/kubectl-minicluster/verbs/run_files.h"
#include "services/kubectl-minicluster/verbs/run_input.h"
#include "services/kubectl-minicluster/verbs/run_log.h"
#include "services/kubectl-minicluster/verbs/verb.h"
#include "services/kubectl-minicluster/view/exit_code.h"

namespace mc::kubectl {

// Signals end the process at once until there is a MiniCluster that anybody could ask about; then
// they are mail for Follow, but end the process all the same if it waits for an answer of the API
// server in spite of them. The guards of our children end them. Create it before any other thread.
class FollowSignals {
 public:
  FollowSignals();

  void hold() { is_held_ = true; }
  Mailbox& mailbox() { return mailbox_; }

 private:
  Mailbox mailbox_;
  std::atomic<bool> is_held_ = false;
  const StopRequests requests_;
};

// What `run` does after the creation: shows how far the MiniCluster is, passes on its output, acts
// on signals, and ends with the command's code.
class Follow {
 public:
  struct Options {
    // At the end, also at ours except by SIGQUIT, or if the output cannot be written.
    bool remove = false;
    bool leaves = false;      // Ctrl-C ends the following only
    Input input = {};         // given to the command
    std::string ranks = {};   // the tasks that get it
    OutputFiles output = {};  // of the command
    LeadFiles::Wanted files = {};
    // After which it is deleted, unless its command has started.
    std::optional<std::chrono::seconds> start_timeout = {};
    std::chrono::seconds controller_acts{10};  // by then; it needs a fraction of a second
    std::chrono::seconds deletes_for{30};      // while the errors may pass
  };

  // All references must outlive it. The mailbox gets the signals.
  Follow(const Context& context, Session& session, json minicluster, Options options,
         Mailbox& mailbox);

  // The exit code. Does not return if standard output cannot take what is being written: then the
  // process ends here.
  int run();

 private:
  using Time = std::chrono::steady_clock::time_point;

  LeadHooks hooks();
  std::optional<int> step();
  std::optional<int> on_signal(int signal);
  std::optional<int> on_start_timeout(const Watch::State& state, Time now);
  std::optional<int> on_end(const Watch::State& state, const std::optional<End>& end);
  int on_broken_output();
  int give_up(int code);
  void tell_deletion();
  void show(const Watch::State& state, const std::optional<End>& end);
  void tell_if_nobody_acts(const Watch::State& state, Time now);
  bool are_pods_late(Time now);
  bool remove();
  std::optional<Error> delete_once();
  std::optional<Error> delete_unless_started();
  bool is_stopped_before(Time next);
  bool tell_removal(const std::optional<Error>& error);
  void say(const std::string& sentence) { display_.say(name_ + ": " + sentence); }
  // The command line of this verb for this MiniCluster, with the flags that find it again.
  std::string command(const std::string& verb) const;
  int leave(int code);

  const Context& context_;
  Session& session_;
  const json created_;
  const std::string name_;
  const Options options_;
  Mailbox& mailbox_;
  Display display_;
  LeadFiles files_;
  LogOutput output_;
  LeadLog log_;
  LeadInput input_;
  const Watch watch_;
  std::optional<Time> asked_;  // by the first Ctrl-C
  std::optional<Time> ended_;  // seen without a lead
  Time began_, next_{};        // when to look again without mail
  Time late_until_{};          // when to try again to delete what has not started in time
  int late_failures_ = 0;      // of that
  bool told_nobody_acts_ = false, told_deletion_ = false, has_started_ = false;
};

}  // namespace mc::kubectl
