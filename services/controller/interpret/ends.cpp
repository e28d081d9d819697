#include "services/controller/interpret/ends.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "common/api/model/command_end.h"
#include "common/api/model/names.h"
#include "common/base/text.h"
#include "common/render/exit_codes.h"
#include "services/controller/cluster/end_text.h"
#include "services/controller/interpret/pod_problems.h"
#include "services/controller/interpret/pod_view.h"

namespace mc::controller {
namespace {

// Number of times that one index is tried.
constexpr std::int64_t kMostOomKills = 3;

constexpr std::string_view kTheCommand = "the command";

std::string code_text(std::int64_t code) { return std::to_string(code); }

bool is_final(std::int64_t code) { return code != 0 && !render::is_retried(code); }

// What a code of the command most often means, with its remedy; "" if nothing can be said. The
// kernel ends a program by SIGBUS if it writes to a file in memory, as MPI's in /dev/shm, for which
// there is no more room.
std::string likely_cause(std::int64_t code, bool knows_memory) {
  constexpr std::int64_t kBusError = 128 + 7;
  if (code == kBusError) {
    return "; 135 means a bus error, most often because /dev/shm is full: raise "
           "spec.pod.sharedMemory.size";
  }
  if (code != render::kKilled || knows_memory) return "";
  return "; 137 means that the process was killed, most often because memory ran out: raise the "
         "memory limit "
         "(resources.limits.memory), which also counts what is in /dev/shm";
}

// The sentence, with what helps if memory was the cause, and the last words.
std::string full(std::string sentence, const Pods& pods, const Container& container) {
  if (const auto memory = out_of_memory(pods, true)) sentence += "; " + *memory;
  const std::string words = last_words_of(container);
  return sentence + (words.empty() ? "." : words);
}

// The step that ended, if the line in the log is about this end: a line that another program
// printed has another code.
std::optional<StepEnd> step_of(const Container& container) {
  if (!container.ended || !container.ended->step) return std::nullopt;
  const std::int64_t code = container.ended->exit_code;
  const bool is_told = code == render::kReservedExitCode || container.ended->step->code == code;
  return is_told ? container.ended->step : std::nullopt;
}

// True if the kubelet could not start it and never will.
bool has_never_run(const Container& container) {
  return container.ended && (container.ended->reason == "StartError" ||
                             container.ended->reason == "ContainerCannotRun");
}

api::Condition failure_of(const Pod& pod, const Container& container, const Runner& runner,
                          const Pods& pods) {
  const std::int64_t code = exit_code(container);
  const std::string who = pod_name(pod);
  const auto say = [&](api::KnownReason reason, std::string sentence) {
    return failed_with(reason, full(std::move(sentence), pods, container));
  };
  if (has_never_run(container)) {
    return say(api::kReasonContainerCannotStart,
               container_name(pod, container) + " cannot be started");
  }
  const auto command_failed = [&](std::int64_t with) {
    const bool knows_memory = out_of_memory(pods, true).has_value();
    return failed_with_code(
        with,
        full(api::command_ended_with(with) + likely_cause(with, knows_memory), pods, container));
  };
  if (const auto end = step_of(container)) {
    if (end->step == kTheCommand) return command_failed(end->code);
    return say(api::kReasonSnippetFailed,
               who + ": " + end->step + " ended with code " + code_text(end->code));
  }
  const bool is_lead = runner.has_lead && pod.index == 0;
  if (code == render::kReservedExitCode) {
    constexpr const char* kReserved =
        " ended with a reserved code (137, or 240 to 250); see the log";
    return is_lead ? say(api::kReasonCommandFailed, who + ": the command or a snippet" + kReserved)
                   : say(api::kReasonSnippetFailed, who + ": a snippet" + kReserved);
  }
  if (is_lead) return command_failed(code);
  return say(api::kReasonPodFailed,
             container_name(pod, container) + " ended with code " + code_text(code));
}

// The command's end, known without the exit code of the lead.
struct KnownEnd {
  std::int64_t code = 0;
  std::optional<Time> time;
};

// From a follower that the lead informed, or from a lead that ended with 0 in a pod that failed
// because of another container.
std::optional<KnownEnd> known_end(const Pods& pods, const Runner& runner) {
  if (!runner.has_lead) return std::nullopt;
  for (const Pod* pod : in_order(pods)) {
    const Container* container = container_of(*pod, runner.name);
    if (container == nullptr || !container->ended || container->ended->exit_code != 0) continue;
    const ContainerEnd& end = *container->ended;
    if (pod->index == 0 && has_failed(*pod)) return KnownEnd{0, end.finished};
    if (pod->index != 0 && end.command_code) return KnownEnd{*end.command_code, end.finished};
  }
  return std::nullopt;
}

// True if its container began after that time. Times are in seconds, and the clocks of two nodes
// differ a little; a lead needs longer to start, run a command and inform its followers.
bool began_after(const Pod& pod, const Container* container, const std::optional<Time>& time) {
  constexpr std::chrono::seconds kClocks{1};
  const bool restarted = container != nullptr && container->restarts > 0;
  const auto began = restarted ? container->started : pod.metadata.created;
  return began && time && *began + kClocks >= *time;
}

// True if this pod of index 0 cannot be the lead that ran the command to that end, or can no longer
// report it.
bool is_lost_or_new(const Pod& pod, const Runner& runner, const KnownEnd& end) {
  const Container* container = container_of(pod, runner.name);
  const bool runs = container != nullptr && container->runs;
  const bool stopped = container != nullptr && !runs && container->ended;
  if (pod.phase == PodPhase::Succeeded) return false;
  if (stopped && is_final(exit_code(*container))) return false;
  if (has_failed(pod)) return true;
  if (stopped) return exit_code(*container) != 0;
  return (!runs && pod.phase == PodPhase::Pending) || began_after(pod, container, end.time);
}

// The Job controller's message about a failure policy: `Container x for pod lab/sample-0-abcde
// failed with exit code 7 matching ...`.
struct PolicySentence {
  std::string pod;
  std::int64_t code = 0;
};
PolicySentence parse_sentence(const std::string& message) {
  static constexpr std::string_view kPod = "pod ", kBefore = " failed with exit code ";
  const std::size_t at = message.find(kBefore);
  if (at == std::string::npos) return {};
  PolicySentence out;
  const std::size_t pod = message.rfind(kPod, at);
  if (pod != std::string::npos) {
    out.pod = message.substr(pod + kPod.size(), at - pod - kPod.size());
    out.pod = out.pod.substr(out.pod.find('/') + 1);
  }
  const char* begin = message.data() + at + kBefore.size();
  std::from_chars(begin, message.data() + message.size(), out.code);
  return out;
}

// What the Job controller begins the name of the pod of index 0 with: the Job's name, cut so that
// with 5 more characters the whole has at most 63.
std::string prefix_of_lead(const std::string& job_name) { return job_name.substr(0, 55) + "-0-"; }

}  // namespace

api::Condition failed_with(api::KnownReason reason, std::string message) {
  return {std::string(api::kFailed), true, reason, std::move(message)};
}

api::Condition failed_as(std::string reason_of_job, std::string message) {
  api::Condition out = failed_with(api::kReasonJobFailed, std::move(message));
  if (!reason_of_job.empty()) out.reason = std::move(reason_of_job);
  return out;
}

api::Condition failed_with_code(std::int64_t code, std::string message) {
  api::Condition out = failed_with(api::kReasonCommandFailed, std::move(message));
  out.exit_code = code;
  return out;
}

api::Condition succeeded(std::string message) {
  api::Condition out(std::string(api::kComplete), true, api::kReasonCommandSucceeded,
                     std::move(message));
  out.exit_code = 0;
  return out;
}

Runner runner_of(const api::MiniCluster& cluster) {
  return {api::runner_container_name(cluster), !cluster.spec.flux.bursting.lead_broker};
}

std::optional<api::Condition> failure(const Pods& pods, const Runner& runner) {
  for (const Pod* pod : in_order(pods)) {
    const Container* container = container_of(*pod, runner.name);
    if (container != nullptr && is_final(exit_code(*container))) {
      return failure_of(*pod, *container, runner, pods);
    }
  }
  return std::nullopt;
}

bool is_end_on_its_way(const std::string& job_message, const Pods& pods, const Runner& runner) {
  const std::string name = parse_sentence(job_message).pod;
  return !name.empty() && std::ranges::any_of(pods, [&](const Shared<Pod>& pod) {
    if (pod->metadata.name != name || has_failed(*pod)) return false;
    const Container* container = container_of(*pod, runner.name);
    return container == nullptr || !is_over(*container);
  });
}

std::optional<api::Condition> failure_in(const std::string& job_message,
                                         const std::string& job_name, const Runner& runner) {
  const auto [pod, code] = parse_sentence(job_message);
  if (code == 0) return std::nullopt;
  const bool is_lead = runner.has_lead && pod.starts_with(prefix_of_lead(job_name));
  const std::string gone = "; pod " + pod + " and its log are gone.";
  return is_lead ? failed_with_code(code, api::command_or_snippet_ended_with(code) + gone)
                 : failed_with(api::kReasonPodFailed,
                               "The container ended with code " + code_text(code) + gone);
}

std::optional<api::Condition> end_of_a_lost_lead(const Pods& pods, const Runner& runner) {
  const auto end = known_end(pods, runner);
  if (!end) return std::nullopt;
  const bool is_lost = std::ranges::all_of(pods, [&](const Shared<Pod>& pod) {
    return pod->index != 0 || is_lost_or_new(*pod, runner, *end);
  });
  if (!is_lost) return std::nullopt;
  const std::string sentence =
      api::command_ended_with(end->code) + "; the lead's pod was lost before it could report it.";
  return end->code == 0 ? succeeded(sentence) : failed_with_code(end->code, sentence);
}

std::optional<HeldEnd> held_end(const Pods& pods, const Runner& runner) {
  for (const Pod* pod : in_order(pods)) {
    const std::string holder = held_by(*pod, runner.name);
    if (holder.empty()) continue;
    const Container& container = *container_of(*pod, runner.name);
    const std::int64_t code = exit_code(container);
    const bool is_success = code == 0 && runner.has_lead && pod->index == 0;
    if (!is_success && !is_final(code)) continue;
    api::Condition end = is_success ? succeeded(api::command_ended_with(0) + ".")
                                    : failure_of(*pod, container, runner, pods);
    end.message += " " + pod_name(*pod) + " did not end with the command, because container " +
                   holder + " kept running; the pod was deleted after " +
                   code_text(kGraceOfOthers.count()) + " s.";
    return HeldEnd{end_time(container), std::move(end)};
  }
  return std::nullopt;
}

std::string singletons(const Pods& pods, const Runner& runner) {
  for (const Pod* pod : in_order(pods)) {
    const Container* container = container_of(*pod, runner.name);
    if (container == nullptr || pod->index != 0) continue;
    if (!container->ended || !container->ended->singletons) continue;
    const auto& [tasks, library] = *container->ended->singletons;
    return " However, " + std::to_string(tasks) +
           " of its tasks ran as MPI programs of one rank each, because " + library +
           " cannot find the other tasks. Open MPI 5 needs a Flux view with flux-pmix "
           "(docs/mpi.md).";
  }
  return "";
}

std::optional<api::Condition> end_by_memory(const Pods& pods) {
  if (oom_kills(pods) < kMostOomKills) return std::nullopt;
  std::string what = "A container was OOMKilled: raise its memory limit (resources.limits.memory)";
  for (const Pod* pod : in_order(pods)) {
    if (auto found = out_of_memory(*pod, false)) {
      what = std::move(*found);
      break;
    }
  }
  return failed_with(api::kReasonOomKilled,
                     "Tried " + std::to_string(kMostOomKills) + " times; " + what + ".");
}

bool has_command_ended(const Pods& pods, const Runner& runner) {
  if (failure(pods, runner) || known_end(pods, runner)) return true;
  return std::ranges::any_of(pods, [&](const Shared<Pod>& pod) {
    const Container* container = container_of(*pod, runner.name);
    return container != nullptr && is_over(*container) && exit_code(*container) == 0 &&
           (pod->index == 0 || !runner.has_lead);
  });
}

std::string snippet_that_ended(const Pods& pods, const Runner& runner) {
  for (const Pod* pod : in_order(pods)) {
    const Container* container = container_of(*pod, runner.name);
    if (container == nullptr || !is_over(*container)) continue;
    const std::int64_t code = exit_code(*container);
    if (code == 0 ? pod->index != 0 : !is_final(code)) continue;
    const auto end = step_of(*container);
    return !end || end->step == kTheCommand || end->step == "post" ? "" : end->step;
  }
  return "";
}

std::optional<api::Condition> kept_end(const Job& job) {
  if (auto end = read_end(job.notes.end)) return end;
  const std::string& failure = job.notes.failure;
  if (failure.empty()) return std::nullopt;
  const bool has_lines = failure.find(':') != std::string::npos;
  api::Condition out = failed_with(api::kReasonCommandFailed, std::string(api::kCommandEndedWith) +
                                                                  failure + (has_lines ? "" : "."));
  out.exit_code = parse_integer(failure.substr(0, failure.find(':')));
  return out;
}

}  // namespace mc::controller
