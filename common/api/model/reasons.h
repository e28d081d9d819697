#pragma once
#include <algorithm>
#include <array>
#include <string_view>

// The vocabulary of the status: phases, types of conditions, and every reason that the controller
// gives, with what it means. docs/lifecycle.md has its tables from here; what helps is in
// remedies.h.
namespace mc::api {

// status.phase; the CRD lists the same.
inline constexpr const char* kPhasePending = "Pending";
inline constexpr const char* kPhaseWaiting = "Waiting";
inline constexpr const char* kPhaseStarting = "Starting";
inline constexpr const char* kPhaseRunning = "Running";
inline constexpr const char* kPhaseSuspended = "Suspended";
inline constexpr const char* kPhaseQueued = "Queued";
inline constexpr const char* kPhaseSucceeded = "Succeeded";
inline constexpr const char* kPhaseFailed = "Failed";
inline constexpr std::array kPhases = {kPhasePending,   kPhaseWaiting,   kPhaseStarting,
                                       kPhaseRunning,   kPhaseSuspended, kPhaseQueued,
                                       kPhaseSucceeded, kPhaseFailed};

// The spec is valid. Also of a FluxSetup.
inline constexpr std::string_view kAccepted = "Accepted";
// Every object of the MiniCluster exists and belongs to it.
inline constexpr std::string_view kObjectsReady = "ObjectsReady";
// The Job has no pods, because the user or a queueing system has suspended it.
inline constexpr std::string_view kSuspended = "Suspended";
// The limits of a FluxSetup allow it to run. Only while there is one.
inline constexpr std::string_view kQuotaReserved = "QuotaReserved";
// The scheduler has placed as many pods as the command needs together. Only with a PodGroup, or
// where there should be one.
inline constexpr std::string_view kGangScheduled = "GangScheduled";
// As many pods are ready as the command needs, or it has ended with 0.
inline constexpr std::string_view kReady = "Ready";
// The end, one of the two: afterwards nothing is created or changed for the MiniCluster.
inline constexpr std::string_view kComplete = "Complete";
inline constexpr std::string_view kFailed = "Failed";
// What tools wait by (sigs.k8s.io/cli-utils, kstatus). Each exists only while it is true: it is on
// its way to Ready, or it needs somebody who changes it. Both have the reason of another condition.
inline constexpr std::string_view kReconciling = "Reconciling";
inline constexpr std::string_view kStalled = "Stalled";
// Of a FluxSetup: its limits apply.
inline constexpr std::string_view kInForce = "InForce";

inline constexpr const char* kReasonBackoffLimitExceeded = "BackoffLimitExceeded";
inline constexpr const char* kReasonBeingDeleted = "BeingDeleted";
inline constexpr const char* kReasonCommandFailed = "CommandFailed";
inline constexpr const char* kReasonCommandSucceeded = "CommandSucceeded";
inline constexpr const char* kReasonContainerCannotStart = "ContainerCannotStart";
inline constexpr const char* kReasonCrashLooping = "CrashLooping";
inline constexpr const char* kReasonCreated = "Created";
inline constexpr const char* kReasonDeadlineExceeded = "DeadlineExceeded";
inline constexpr const char* kReasonFailedCreate = "FailedCreate";
inline constexpr const char* kReasonFieldDropped = "FieldDropped";
inline constexpr const char* kReasonFinished = "Finished";
inline constexpr const char* kReasonGrowthWaits = "GrowthWaits";
inline constexpr const char* kReasonImagePullFailed = "ImagePullFailed";
inline constexpr const char* kReasonInvalid = "Invalid";
inline constexpr const char* kReasonJobFailed = "JobFailed";
inline constexpr const char* kReasonJobLost = "JobLost";
inline constexpr const char* kReasonMountFailed = "MountFailed";
inline constexpr const char* kReasonNameTaken = "NameTaken";
inline constexpr const char* kReasonNeverFits = "NeverFits";
inline constexpr const char* kReasonNewest = "Newest";
inline constexpr const char* kReasonNodeLost = "NodeLost";
inline constexpr const char* kReasonNotAccepted = "NotAccepted";
inline constexpr const char* kReasonNotApplied = "NotApplied";
inline constexpr const char* kReasonReleased = "Released";
inline constexpr const char* kReasonNotLimited = "NotLimited";
inline constexpr const char* kReasonNotOffered = "NotOffered";
inline constexpr const char* kReasonOomKilled = "OOMKilled";
inline constexpr const char* kReasonPodFailed = "PodFailed";
inline constexpr const char* kReasonPodFailing = "PodFailing";
inline constexpr const char* kReasonPodsRefused = "PodsRefused";
inline constexpr const char* kReasonPreempted = "Preempted";
inline constexpr const char* kReasonQueued = "Queued";
inline constexpr const char* kReasonQuorumReached = "QuorumReached";
inline constexpr const char* kReasonQuorumUnreachable = "QuorumUnreachable";
inline constexpr const char* kReasonRefused = "Refused";
inline constexpr const char* kReasonReserved = "Reserved";
inline constexpr const char* kReasonResumed = "Resumed";
inline constexpr const char* kReasonResumedPastQuota = "ResumedPastQuota";
inline constexpr const char* kReasonScheduled = "Scheduled";
inline constexpr const char* kReasonSchedulerSilent = "SchedulerSilent";
inline constexpr const char* kReasonServiceUnusable = "ServiceUnusable";
inline constexpr const char* kReasonSnippetFailed = "SnippetFailed";
inline constexpr const char* kReasonStartDelayed = "StartDelayed";
inline constexpr const char* kReasonStarting = "Starting";
inline constexpr const char* kReasonSuperseded = "Superseded";
inline constexpr const char* kReasonSuspended = "Suspended";
inline constexpr const char* kReasonUnknownField = "UnknownField";
inline constexpr const char* kReasonUnschedulable = "Unschedulable";
inline constexpr const char* kReasonValid = "Valid";
inline constexpr const char* kReasonWaiting = "Waiting";

// Of an event of a MiniCluster, and of no condition: jobs ran longer on a pod that was told to end
// than spec.drainSeconds allows.
inline constexpr const char* kReasonJobsEnded = "JobsEnded";
// Of an event of a FluxSetup, and of no condition: it took the place of an older one.
inline constexpr const char* kReasonReplaced = "Replaced";

// The event of a condition that gets a reason.
enum class News {
  None,
  Again,  // Normal, but none for the first reason of the condition: it is good news after bad
  Normal,
  Warning,
};

// One reason of one type of condition. In texts, backquotes enclose code, NAME in code is the
// MiniCluster's name, and `docs/` begins the path of a page.
struct ReasonRow {
  std::string_view type;
  bool status;
  std::string_view reason;
  News news;
  std::string_view meaning;
};

// In the order of docs/lifecycle.md. A type and a reason are one row at most.
inline constexpr auto kReasons = std::to_array<ReasonRow>({
    {kAccepted, true, kReasonValid, News::Again, "The spec can work."},
    {kAccepted, true, kReasonUnknownField, News::Warning,
     "The spec can work, but Kubernetes' own types do not have a field in it, which Kubernetes "
     "drops. The message names the field and what was probably meant."},
    {kAccepted, false, kReasonInvalid, News::Warning,
     "The spec cannot work. The message has one line for each invalid field, as in admission "
     "errors. This occurs only if the webhook did not run."},
    {kAccepted, false, kReasonNotApplied, News::Warning,
     "Fields were changed that cannot be changed in the Job. The message names each. The Job keeps "
     "running unchanged."},
    {kObjectsReady, true, kReasonCreated, News::Normal,
     "ConfigMap, Secret, Services and Job exist and belong to the MiniCluster."},
    {kObjectsReady, true, kReasonFieldDropped, News::Warning,
     "The objects exist, but the API server dropped a field of the Job. The message names the "
     "field, what does not work without it, and the feature gate if it is known."},
    {kObjectsReady, false, kReasonNotAccepted, News::None,
     "No object is created from an invalid spec."},
    {kObjectsReady, false, kReasonNameTaken, News::Warning,
     "An object with a required name exists and does not belong to the MiniCluster, or is still "
     "being deleted. The message names its owner. The controller retries until that object is "
     "gone."},
    {kObjectsReady, false, kReasonServiceUnusable, News::Warning,
     "With `network.useExistingService`: the headless Service does not exist, or would not give "
     "the pods DNS names; the message says why. The controller retries until it can be used."},
    {kObjectsReady, false, kReasonBeingDeleted, News::Warning,
     "An object of the MiniCluster is being deleted; it is recreated when it is gone."},
    {kObjectsReady, false, kReasonFailedCreate, News::Warning,
     "The API server could not create an object, for example because an admission webhook timed "
     "out. Reported a minute after the creation of the MiniCluster, or at once if its Job was "
     "deleted. The message is that of the last attempt. The controller retries."},
    {kObjectsReady, false, kReasonRefused, News::Warning,
     "The API server refused an object (because of a quota, a policy, or an invalid value of a "
     "Kubernetes type). The controller retries every 30 s."},
    {kSuspended, true, kReasonSuspended, News::Normal, "`spec.suspend` suspends the Job."},
    {kSuspended, true, kReasonQueued, News::Normal,
     "A queueing system or a user has suspended the Job. If the controller reads Kueue's Workloads "
     "(docs/lifecycle.md#queueing-systems), the message is Kueue's."},
    {kSuspended, true, kReasonWaiting, News::None,
     "The limits of a FluxSetup suspend the Job. See QuotaReserved."},
    {kSuspended, false, kReasonResumed, News::Normal,
     "The MiniCluster was suspended and no longer is. One that was never suspended does not have "
     "this condition. There is no event if it only waited for limits: see QuotaReserved."},
    {kQuotaReserved, false, kReasonWaiting, News::Normal,
     "The MiniCluster waits for the limits of a FluxSetup (docs/queue.md). The message has its "
     "place in the queue and what is missing."},
    {kQuotaReserved, false, kReasonPreempted, News::Warning,
     "It agreed to be suspended for others (`spec.preemptible`), and was, for a MiniCluster of a "
     "higher priority. It waits and starts again (docs/queue.md#preemption)."},
    {kQuotaReserved, false, kReasonStartDelayed, News::Warning,
     "It waits, and starts later than it was promised (docs/queue.md#start-times). The message has "
     "the time that it was promised."},
    {kQuotaReserved, false, kReasonNeverFits, News::Warning,
     "It needs more than a limit, and never starts unless one of the two changes. The message has "
     "both."},
    {kQuotaReserved, false, kReasonResumedPastQuota, News::Warning,
     "Another client resumed the Job past the limits. It is suspended again and waits."},
    {kQuotaReserved, false, kReasonReleased, News::Warning,
     "It and another MiniCluster had nodes for only some of their pods. A FluxSetup with "
     "`deadlockPolicy: Release` has put this one, the younger, back into the queue "
     "(docs/scheduling.md)."},
    {kQuotaReserved, false, kReasonSuspended, News::None, "A suspended Job reserves nothing."},
    {kQuotaReserved, true, kReasonReserved, News::Again, "The MiniCluster runs within the limits."},
    {kQuotaReserved, true, kReasonGrowthWaits, News::Normal,
     "`spec.size` was raised, and there is no room for more pods: the Job keeps those that it "
     "has."},
    {kQuotaReserved, true, kReasonNotLimited, News::Normal,
     "No FluxSetup limits MiniClusters any more. If there was none, this condition does not "
     "exist."},
    {kGangScheduled, true, kReasonScheduled, News::Again,
     "The scheduler has placed as many pods as the command needs at the same time "
     "(docs/scheduling.md)."},
    {kGangScheduled, false, kReasonWaiting, News::None,
     "The scheduler has not decided yet, or the PodGroup does not exist yet."},
    {kGangScheduled, false, kReasonUnschedulable, News::Warning,
     "There is no room for all pods that the command needs, so none is placed. The message is the "
     "scheduler's."},
    {kGangScheduled, false, kReasonSchedulerSilent, News::Warning,
     "The scheduler has said nothing about the PodGroup for 30 s: it probably does not know "
     "PodGroups, and places pods one by one."},
    {kGangScheduled, false, kReasonNotOffered, News::Warning,
     "`spec.gang.enabled` is true, but the pods are not in a PodGroup; the message says why. The "
     "pods are placed one by one."},
    {kGangScheduled, false, kReasonSuspended, News::None, "See Suspended."},
    {kReady, true, kReasonQuorumReached, News::Normal,
     "The lead and as many pods as the command needs are ready: `minSize`, or all (in a queue, all "
     "admitted pods)."},
    {kReady, true, kReasonCommandSucceeded, News::None,
     "The command has ended with 0. There are no pods any more, but tools that wait for Ready are "
     "done (docs/lifecycle.md#tools-that-wait)."},
    {kReady, false, kReasonStarting, News::None, "Pods are starting; no problem is known."},
    {kReady, false, kReasonSuspended, News::None, "See Suspended."},
    {kReady, false, kReasonWaiting, News::None, "See QuotaReserved."},
    {kReady, false, kReasonPreempted, News::None, "See QuotaReserved."},
    {kReady, false, kReasonStartDelayed, News::None, "See QuotaReserved."},
    {kReady, false, kReasonNeverFits, News::None, "See QuotaReserved."},
    {kReady, false, kReasonUnschedulable, News::Warning, "No node fits a pod."},
    {kReady, false, kReasonMountFailed, News::Warning,
     "A volume of a pod cannot be mounted (for example, a ConfigMap or Secret does not exist). The "
     "message is the kubelet's. The reason stays until the pod's containers start."},
    {kReady, false, kReasonImagePullFailed, News::Warning, "An image cannot be pulled."},
    {kReady, false, kReasonContainerCannotStart, News::Warning,
     "A container cannot be created or started (a missing ConfigMap or key, no such program)."},
    {kReady, false, kReasonCrashLooping, News::Warning,
     "A container ends repeatedly. The message has its exit code and last lines."},
    {kReady, false, kReasonOomKilled, News::Warning,
     "A container exceeded its memory limit and was killed. The message has pod, container and "
     "remedy. This is reported before other failures, which may be a consequence."},
    {kReady, false, kReasonPodFailing, News::Warning,
     "A pod has failed and is recreated, or restarts in place. The message has its exit code and "
     "last lines, or the sentence of a reserved code (docs/pods.md#exit-codes)."},
    {kReady, false, kReasonNodeLost, News::Warning,
     "The node of a pod is not ready, so nobody knows whether the pod still runs; or the pod was "
     "told to terminate at least 5 s ago and still exists. The message has pod, node, the node's "
     "condition and the remedy. The phase stays Running until the lead has ended: only then must "
     "the command run again."},
    {kReady, false, kReasonPodsRefused, News::Warning,
     "A quota or a policy refuses the pods (`NAME-*` in the message means those of the Job). The "
     "reason stays until a later pod is created."},
    {kReady, false, kReasonQuorumUnreachable, News::Warning,
     "The MiniCluster was scaled down, and the lead waits for more brokers than there are pods."},
    {kReady, false, kReasonFinished, News::None,
     "The command has ended, or will never run, and the Job is about to end. The message says what "
     "has ended: the command, a snippet, or, as at a deadline, the Job itself. After that the "
     "reason is that of Complete or Failed."},
    {kComplete, true, kReasonCommandSucceeded, News::Normal,
     "The command ended with code 0, or a snippet ended the lead's container with 0 before it; the "
     "message says which."},
    {kFailed, true, kReasonCommandFailed, News::Warning,
     "The command ended with another code. The message has the code and the last lines of the log, "
     "and says if a container was OOMKilled."},
    {kFailed, true, kReasonSnippetFailed, News::Warning,
     "A snippet ended the container. The message has pod, step (`init`, `pre`, `brokerPre`, "
     "`workerPre`, `post`), exit code and last lines."},
    {kFailed, true, kReasonPodFailed, News::Warning,
     "The container that runs Flux ended with a final code that neither the command nor a snippet "
     "reported."},
    {kFailed, true, kReasonContainerCannotStart, News::Warning,
     "The container that runs Flux cannot be started (no such program). This is not retried."},
    {kFailed, true, kReasonOomKilled, News::Warning,
     "Pods of one index were OOMKilled three times, or the pod whose failure reached "
     "`backoffLimit` was OOMKilled."},
    {kFailed, true, kReasonDeadlineExceeded, News::Warning,
     "`deadlineSeconds` have passed (reason and message are the Job's)."},
    {kFailed, true, kReasonBackoffLimitExceeded, News::Warning,
     "Pods failed more than `backoffLimit` times. The message has the failure of the last one."},
    {kFailed, true, kReasonJobFailed, News::Warning, "The Job failed and gave no reason."},
    {kFailed, true, kReasonJobLost, News::Warning,
     "The Job was deleted while the controller did not run, and nothing tells how it ended. The "
     "command is not run again (docs/lifecycle.md#once-and-not-again)."},
    // Of a FluxSetup, whose events are not those of its conditions.
    {kInForce, true, kReasonNewest, News::None, "This is the newest valid FluxSetup."},
    {kInForce, false, kReasonSuperseded, News::None,
     "A newer FluxSetup is in force. The message names it."},
    {kInForce, false, kReasonInvalid, News::None, "An invalid FluxSetup is never in force."},
});

constexpr bool is_known_reason(std::string_view reason) {
  return std::ranges::find(kReasons, reason, &ReasonRow::reason) != kReasons.end();
}

// Null: the reason is not ours, but passed on from a Job or from Kueue.
constexpr const ReasonRow* find_reason(std::string_view type, std::string_view reason) {
  const auto found = std::ranges::find_if(
      kReasons, [&](const ReasonRow& row) { return row.type == type && row.reason == reason; });
  return found == kReasons.end() ? nullptr : &*found;
}

// A reason of kReasons. Any other does not compile.
class KnownReason {
 public:
  consteval KnownReason(const char* name)  // NOLINT(google-explicit-constructor): is one
      : name_(name) {
    if (!is_known_reason(name)) this_reason_has_no_row();
  }

  constexpr const char* name() const { return name_; }
  friend constexpr bool operator==(KnownReason a, KnownReason b) {
    return std::string_view(a.name_) == b.name_;
  }

 private:
  static void this_reason_has_no_row();  // not for the compiler to call, and nowhere defined

  const char* name_;
};

}  // namespace mc::api
