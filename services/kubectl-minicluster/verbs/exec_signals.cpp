#include "services/kubectl-minicluster/verbs/exec_signals.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <optional>
#include <thread>
#include <utility>

#include "common/base/guarded.h"
#include "common/base/unique_name.h"
#include "services/kubectl-minicluster/client/mailbox.h"
#include "services/kubectl-minicluster/client/session.h"
#include "services/kubectl-minicluster/client/stop_requests.h"
#include "services/kubectl-minicluster/view/exec.h"

namespace mc::kubectl {
namespace {

using std::chrono::seconds;
using SteadyClock = std::chrono::steady_clock;

constexpr seconds kKubectlTakes{5};  // to reach the container, and to end after the program

// As much as can be written.
void say_error(std::string_view text) {
  while (!text.empty()) {
    const ssize_t size = ::write(STDERR_FILENO, text.data(), text.size());
    if (size < 0 && errno != EINTR) return;
    if (size > 0) text.remove_prefix(static_cast<std::size_t>(size));
  }
}

// `kubectl exec` of announced(), with our standard streams.
class RemoteProgram {
 public:
  // `on_change` is called from a thread when it has started and when it has ended.
  RemoteProgram(Child child, bool is_fed, std::string mark, std::function<void()> on_change)
      : child_(std::move(child)),
        is_fed_(is_fed),
        announcement_(std::move(mark)),
        on_change_(std::move(on_change)),
        streams_([this] { pass_streams(); }) {}
  ~RemoteProgram() {
    child_.kill();
    streams_.join();
  }
  RemoteProgram(const RemoteProgram&) = delete;
  RemoteProgram& operator=(const RemoteProgram&) = delete;

  // "" as long as it is not known.
  std::string process() const {
    return state_.with([](const State& state) { return state.process; });
  }
  // The exit code, once it has ended.
  std::optional<int> code() const {
    return state_.with([](const State& state) { return state.code; });
  }

 private:
  struct State {
    std::string process;
    std::optional<int> code;
  };

  void pass_streams() {
    while (pass_some()) continue;
    say_error(announcement_.end());
    const int code = child_.wait();
    state_.with([&](State& state) { state.code = code; });
    on_change_();
  }

  // False at the end of the standard error.
  bool pass_some() {
    std::array<pollfd, 2> ready = {
        {{is_fed_ ? STDIN_FILENO : -1, POLLIN, 0}, {child_.err(), POLLIN, 0}}};
    if (::poll(ready.data(), ready.size(), -1) < 0) return errno == EINTR;
    if (ready[1].revents != 0) return pass_errors();
    if (std::string typed; !read_some(STDIN_FILENO, typed) || !child_.feed(typed)) {
      is_fed_ = false;
      child_.end_input();
    }
    return true;
  }

  bool pass_errors() {
    std::string piece;
    if (!read_some(child_.err(), piece)) return false;
    say_error(announcement_.take(piece));
    if (!announcement_.process().empty() && process().empty()) {
      state_.with([&](State& state) { state.process = announcement_.process(); });
      on_change_();
    }
    return true;
  }

  Child child_;
  bool is_fed_;
  Announcement announcement_;
  const std::function<void()> on_change_;
  Guarded<State> state_;
  std::thread streams_;
};

// `kubectl exec` of signal_command().
class SentSignal {
 public:
  struct End {
    int code = 0;
    std::string errors;
  };

  // `on_end` is called from a thread.
  SentSignal(Child child, std::function<void()> on_end)
      : child_(std::move(child)), on_end_(std::move(on_end)), waiter_([this] {
          End end;
          end.errors = read_all(child_.err());
          end.code = child_.wait();
          end_.with([&](std::optional<End>& out) { out = std::move(end); });
          on_end_();
        }) {}
  ~SentSignal() {
    child_.kill();
    waiter_.join();
  }
  SentSignal(const SentSignal&) = delete;
  SentSignal& operator=(const SentSignal&) = delete;

  std::optional<End> end() const {
    return end_.with([](const std::optional<End>& end) { return end; });
  }

 private:
  Child child_;
  const std::function<void()> on_end_;
  Guarded<std::optional<End>> end_;
  std::thread waiter_;
};

class ExecWithSignals {
 public:
  ExecWithSignals(Program program, const Context& context)
      : program_(program),
        context_(context),
        requests_([this](int signal) { take(signal); }, StopRequests::From::SignalsOnly) {}

  int run(const Rank& rank, const Inside& inside) {
    const std::string mark = unique_name("minicluster-exec");  // no program prints it by chance
    const auto arguments = [&](const Target& target, const json& minicluster) {
      target_ = target;
      return exec_arguments(target, announced(mark, inside(minicluster)), false);
    };
    const auto command =
        kubectl_command(rank, {.target = running_target, .arguments = arguments}, context_.cluster);
    if (!command) return report(context_.terminal, command.error());
    const bool is_fed = context_.terminal.in_is_terminal;
    waits_for_signal_ = true;
    auto child =
        command->kubectl.start(command->arguments, {.is_fed = is_fed, .shares_streams = true});
    if (!child) return report(context_.terminal, child.error());
    RemoteProgram remote(*std::move(child), is_fed, mark, [this] { mailbox_.wake(); });
    const int exit_code = follow(remote, command->kubectl);
    // What a kubectl has started may keep its standard error open. The guards end it.
    if (!remote.code() || (sent_ && !sent_->end())) std::_Exit(exit_code);
    return exit_code;
  }

 private:
  void take(int signal) {
    if (signal == SIGQUIT || !waits_for_signal_.exchange(false)) end_at_once(signal);
    mailbox_.signal(signal);
  }

  int follow(const RemoteProgram& remote, const Kubectl& kubectl) {
    while (true) {
      const auto code = remote.code();
      // kubectl was ended by SIGPIPE.
      if (code == kBrokenPipe && !is_read(STDOUT_FILENO)) return pass_on(SIGPIPE, remote, kubectl);
      if (code) return *code;
      const Mail mail = mailbox_.take();
      if (!mail.signals.empty()) return pass_on(mail.signals.front(), remote, kubectl);
    }
  }

  // Our exit code after this signal.
  int pass_on(int signal, const RemoteProgram& remote, const Kubectl& kubectl) {
    const auto known_by = SteadyClock::now() + kKubectlTakes;
    while (remote.process().empty() && !remote.code() && SteadyClock::now() < known_by)
      (void)mailbox_.take(known_by);
    if (remote.process().empty() || (remote.code() && signal != SIGPIPE))
      return remote.code().value_or(128 + signal);
    const auto steps = steps_after(signal, program_);
    auto child =
        kubectl.start(exec_arguments(target_, signal_command(remote.process(), steps), false));
    if (!child) return cannot_pass_on(signal, child.error().message);
    const SentSignal& sent = sent_.emplace(*std::move(child), [this] { mailbox_.wake(); });
    const auto end = await_signal(sent, remote, patience_of(steps) + kKubectlTakes);
    if (const auto code = remote.code(); code && signal != SIGPIPE)
      return code_after(signal, program_, *code);
    if (!end) return cannot_pass_on(signal, "it does not answer");
    if (end->code == kProgramRunsOn) {
      const auto passed = std::chrono::floor<seconds>(patience_of(steps)).count();
      return report(context_.terminal,
                    "the command in pod " + target_.pod + " is still running " +
                        std::to_string(passed) + " s after " + name_of_signal(signal),
                    128 + signal);
    }
    return end->code == 0 ? 128 + signal : cannot_pass_on(signal, reason_in(end->errors));
  }

  // Returns when the program has ended, or its kubectl had time to tell so.
  std::optional<SentSignal::End> await_signal(const SentSignal& sent, const RemoteProgram& remote,
                                              std::chrono::milliseconds limit) {
    const bool had_ended = remote.code().has_value();
    auto until = SteadyClock::now() + limit;
    bool is_sent = false;
    while (SteadyClock::now() < until && (had_ended || !remote.code())) {
      const auto end = sent.end();
      if (end && (had_ended || end->code != 0)) break;
      if (end && !std::exchange(is_sent, true))
        until = std::min(until, SteadyClock::now() + kKubectlTakes);
      (void)mailbox_.take(until);
    }
    return sent.end();
  }

  int cannot_pass_on(int signal, const std::string& why) const {
    return report(context_.terminal,
                  "cannot pass " + name_of_signal(signal) + " on to the command in pod " +
                      target_.pod + ": " + why,
                  128 + signal);
  }

  const Program program_;
  const Context& context_;
  Target target_;
  Mailbox mailbox_;
  std::optional<SentSignal> sent_;
  std::atomic<bool> waits_for_signal_ = false;
  const StopRequests requests_;
};

}  // namespace

int run_with_signals(const Rank& rank, const Inside& inside, Program program,
                     const Context& context) {
  return ExecWithSignals(program, context).run(rank, inside);
}

}  // namespace mc::kubectl
