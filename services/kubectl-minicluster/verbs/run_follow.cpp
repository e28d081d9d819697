#include "services/kubectl-minicluster/verbs/run_follow.h"

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "common/api/model/conditions.h"
#include "common/base/backoff.h"
#include "common/base/shell.h"
#include "services/api_resources.h"
#include "services/kubectl-minicluster/view/age.h"
#include "services/kubectl-minicluster/view/pods.h"

namespace mc::kubectl {
namespace {

using std::chrono::seconds;
using SteadyClock = std::chrono::steady_clock;

constexpr seconds kToAskAgain{5};  // Ctrl-C
constexpr seconds kPodsAreLate{1};
constexpr seconds kToStop{1};
constexpr BackoffPolicy kDeleteAgain{std::chrono::milliseconds(500), seconds(5)};

// Whether another try to delete may succeed.
bool is_worth_a_retry(const Error& error) { return may_pass(error) || is_unauthorized(error); }

// How long to wait after so many failures.
std::chrono::milliseconds delay_after(const Error& error, int failures) {
  return std::max<std::chrono::milliseconds>(backoff_delay(kDeleteAgain, failures),
                                             seconds(error.retry_after_s));
}

}  // namespace

FollowSignals::FollowSignals()
    : requests_([this](int signal) {
        if (!is_held_ || mailbox_.signal(signal) > 2) end_at_once(signal);
      }) {}

Follow::Follow(const Context& context, Session& session, json minicluster, Options options,
               Mailbox& mailbox)
    : context_(context),
      session_(session),
      created_(std::move(minicluster)),
      name_(text_at(created_, {"metadata", "name"})),
      options_(std::move(options)),
      mailbox_(mailbox),
      display_(context.terminal),
      files_(session.kubectl(), flux_container(created_), options_.files, hooks()),
      output_(options_.output.out(), options_.output.err(),
              {[this] { display_.make_room(); }, [this] { files_.begin(); }}),
      log_(session.transport(),
           {.ns = session.namespace_name(), .pod = {}, .container = flux_container(created_)},
           output_, hooks()),
      input_(session.kubectl(), flux_container(created_), options_.ranks, options_.input, hooks()),
      watch_(session, created_, PodsToWatch{selector_of_pods(created_), reduced_pod}, mailbox),
      began_(SteadyClock::now()) {
  if (!options_.output.is_file()) display_.beside(output_);
}

LeadHooks Follow::hooks() {
  return {[this](const std::string& sentence) { say(sentence); }, [this] { mailbox_.wake(); }};
}

int Follow::run() {
  while (true) {
    if (const auto code = step()) return leave(*code);
    const Mail mail = mailbox_.take(std::min(next_, SteadyClock::now() + std::chrono::hours(1)));
    for (const std::string& note : mail.notes) say(note);
    for (const int signal : mail.signals) {
      if (const auto code = on_signal(signal)) return leave(*code);
    }
  }
}

// What the state asks for. The exit code, if it is the end.
std::optional<int> Follow::step() {
  const Watch::State state = watch_.look();
  const auto end = end_of(*state.minicluster);
  const bool is_over = end || state.deleted;
  const Time now = SteadyClock::now();
  next_ = Time::max();
  show(state, end);
  if (state.deleted && !end) tell_deletion();
  tell_if_nobody_acts(state, now);
  const auto lead = lead_of(*state.minicluster, state.pods);
  files_.look(lead, is_over, now);  // first: the log tells it of this lead
  log_.look(lead, is_over, now);
  input_.look(lead, is_over, now);
  next_ = std::min({next_, files_.next(), log_.next(), input_.next()});
  if (output_.is_broken()) return on_broken_output();
  if (state.refused) return report(context_.terminal, *state.refused);
  if (!is_over) {
    if (const auto code = on_start_timeout(state, now)) return code;
  }
  if (!is_over || !state.pods_known || !log_.is_complete()) return std::nullopt;
  if (files_.is_copying()) return std::nullopt;
  if (end && are_pods_late(now)) return std::nullopt;
  return on_end(state, end);
}

// What starts once is never late again, also if its pods are replaced.
std::optional<int> Follow::on_start_timeout(const Watch::State& state, Time now) {
  if (!options_.start_timeout || has_started_) return std::nullopt;
  has_started_ = has_command_started(*state.minicluster);
  if (has_started_) return std::nullopt;
  const Time limit = began_ + *options_.start_timeout, until = std::max(limit, late_until_);
  if (now < until) {
    next_ = std::min(next_, until);
    return std::nullopt;
  }
  const auto error = delete_unless_started();
  if (has_started_) return std::nullopt;
  if (error && is_worth_a_retry(*error) && now < limit + options_.deletes_for) {
    if (late_failures_++ == 0)
      say("did not start within " + short_duration(*options_.start_timeout) +
          " and cannot be deleted yet, retrying for " + short_duration(options_.deletes_for) +
          ": " + sentence_of(*error));
    late_until_ = SteadyClock::now() + delay_after(*error, late_failures_);
    next_ = std::min(next_, late_until_);
    return std::nullopt;
  }
  display_.say("error: minicluster/" + name_ + " did not start within " +
               short_duration(*options_.start_timeout) + ": " +
               why_not_started(*state.minicluster, state.pods));
  return tell_removal(error) ? kTimedOut : kFailed;
}

// The watch of the pods may be behind that of the MiniCluster, and the lead's log is still to come.
bool Follow::are_pods_late(Time now) {
  if (log_.has_lead()) return false;
  if (!ended_) ended_ = now;
  next_ = std::min(next_, *ended_ + kPodsAreLate);
  return now < *ended_ + kPodsAreLate;
}

std::optional<int> Follow::on_end(const Watch::State& state, const std::optional<End>& end) {
  if (!output_.end_of_log()) return on_broken_output();
  if (!end) return kFailed;
  if (!end->by_command || end->code != 0) say(end->why);
  const bool lacks_files = end->by_command && files_.lacks();
  if (lacks_files && !files_.has_said()) say("error: nothing was copied: the lead has ended");
  if (options_.remove && !state.deleted) remove();
  return end->code == 0 && lacks_files ? kFailed : end->code;
}

int Follow::on_broken_output() {
  const bool is_file = options_.output.is_file();
  if (!is_file && is_without_reader(output_.error())) return give_up(kBrokenPipe);
  display_.say("error: cannot write " +
               (is_file ? "all of the output to " + options_.output.name() : "the output") + ": " +
               std::strerror(output_.error()));
  if (options_.remove && !watch_.look().deleted)
    say("not deleted, because its output would be lost. To read it: " + command("logs"));
  return kFailed;
}

// At once: what the pods still print may take a while.
void Follow::tell_deletion() {
  if (std::exchange(told_deletion_, true)) return;
  display_.say("error: minicluster/" + name_ + " was deleted before it ended");
}

void Follow::show(const Watch::State& state, const std::optional<End>& end) {
  if (!end && !state.deleted) display_.show(progress_of(*state.minicluster, state.pods));
}

void Follow::tell_if_nobody_acts(const Watch::State& state, Time now) {
  if (told_nobody_acts_) return;
  const bool acts = !items_at(*state.minicluster, {"status", "conditions"}).empty();
  const Time until = began_ + options_.controller_acts;
  if (!acts && now < until) {
    next_ = std::min(next_, until);
    return;
  }
  told_nobody_acts_ = true;
  if (!acts)
    say("no controller has acted on this MiniCluster yet; is minicluster-controller running?");
}

std::optional<int> Follow::on_signal(int signal) {
  if (signal == SIGQUIT || options_.leaves || (signal != SIGINT && !options_.remove)) {
    say("still running. To follow it again: " + command("attach"));
    return 128 + signal;
  }
  if (signal != SIGINT) return give_up(128 + signal);
  const Time now = SteadyClock::now();
  if (asked_ && now < *asked_ + kToAskAgain) return remove() ? kInterrupted : kFailed;
  asked_ = now;
  say("still running. Press Ctrl-C again within 5 s to delete it, or Ctrl-\\ to stop following "
      "it. To follow it again: " +
      command("attach"));
  return std::nullopt;
}

// Ends before the MiniCluster does.
int Follow::give_up(int code) {
  if (options_.remove && !watch_.look().deleted) remove();
  return code;
}

bool Follow::remove() {
  const Time until = SteadyClock::now() + options_.deletes_for;
  auto error = delete_once();
  for (int failures = 1; error && is_worth_a_retry(*error) && !session_.lost(); ++failures) {
    if (failures == 1)
      say("cannot be deleted yet, retrying until Ctrl-C, at most " +
          short_duration(options_.deletes_for) + ": " + sentence_of(*error));
    const Time next = SteadyClock::now() + delay_after(*error, failures);
    if (next > until || is_stopped_before(next)) break;
    error = delete_once();
  }
  return tell_removal(error);
}

// Whether it was deleted.
bool Follow::tell_removal(const std::optional<Error>& error) {
  if (error) {
    display_.say("error: cannot delete minicluster/" + name_ + ": " + sentence_of(*error));
  } else {
    say("deleted");
  }
  return !error;
}

// Only the one that was created here, not a later one of that name.
std::optional<Error> Follow::delete_once() {
  const auto removed = session_.client().remove(kMiniClusters, session_.namespace_name(), name_,
                                                text_at(created_, {"metadata", "uid"}));
  const bool is_gone = removed || removed.error().kind == ErrorKind::NotFound;
  return is_gone ? std::nullopt : std::optional(removed.error());
}

// What was seen last may be old, and nothing that runs is deleted: sets has_started_.
std::optional<Error> Follow::delete_unless_started() {
  const auto fresh = session_.minicluster(name_);
  if (!fresh && is_worth_a_retry(fresh.error())) return fresh.error();
  has_started_ = fresh && has_command_started(*fresh);
  return has_started_ ? std::nullopt : delete_once();
}

// A closed terminal may signal more than once, so its signals do not count.
bool Follow::is_stopped_before(Time next) {
  while (SteadyClock::now() < next) {
    const Mail mail = mailbox_.take(next);
    for (const std::string& note : mail.notes) say(note);
    if (std::ranges::any_of(mail.signals, [](int signal) {
          return signal == SIGINT || signal == SIGQUIT || signal == SIGTERM;
        }))
      return true;
  }
  return false;
}

std::string Follow::command(const std::string& verb) const {
  std::string out = "kubectl minicluster " + verb + " " + name_;
  for (const std::string& flag : words_of(context_.cluster)) out += " " + shell_word(flag);
  return out;
}

// The proxy goes first: it ends requests that the threads of the watches wait for.
int Follow::leave(int code) {
  session_.hang_up();
  const bool stopped =
      log_.stop(SteadyClock::now() + kToStop, [this](Time until) { (void)mailbox_.take(until); });
  // The guards of our children end them.
  if (!stopped) std::_Exit(code);
  return code;
}

}  // namespace mc::kubectl
