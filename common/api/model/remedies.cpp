#include "common/api/model/remedies.h"

#include <algorithm>
#include <array>

#include "common/api/model/reasons.h"

namespace mc::api {
namespace {

constexpr auto kRemedies = std::to_array<Remedy>({
    {kReasonImagePullFailed, "Starting", "", "An image is misspelt, or needs a pull secret",
     "It starts by itself when the image can be pulled. If the name is wrong, correct it in a new "
     "MiniCluster; for a private image add `imagePullSecret`."},
    {kReasonCrashLooping, "Starting", "", "A container ends at once, repeatedly",
     "Read the exit code and the last lines in the message. The container is an init container, a "
     "sidecar, or any container with `restartPolicy: OnFailure`."},
    {kReasonMountFailed, "Starting", "", "A ConfigMap, Secret or claim of a volume is missing",
     "Create the object that the message names; the pods start by themselves."},
    {kReasonMountFailed, "Starting", "",
     "Your own certificate Secret is missing (`flux.curveCertSecret`)",
     "Create the Secret; the pods start by themselves."},
    {kReasonOomKilled, "Starting or Failed", "", "A container needs more memory than its limit",
     "Raise `resources.limits.memory` of the named container, in a new MiniCluster."},
    {kReasonPodFailing, "Starting", "", "A pod fails with a reserved code",
     "docs/pods.md#exit-codes has a remedy for each code."},
    {kReasonUnschedulable, "Starting", "", "No node fits",
     "Add nodes, request less, or scale down. It starts by itself when there is room."},
    {kReasonWaiting, "Starting", "", "The scheduler has not decided about the PodGroup",
     "Wait; after 30 s the condition says more. See docs/scheduling.md."},
    {kReasonSchedulerSilent, "", "", "The scheduler does not know PodGroups",
     "Turn on the feature gate GenericWorkload of kube-scheduler, check `pod.schedulerName`, or "
     "set `gang.enabled: false`. See docs/scheduling.md."},
    {kReasonNotOffered, "", "", "The cluster offers no PodGroups",
     "Ask the administrator, or remove `gang.enabled`. See docs/scheduling.md."},
    {kReasonNodeLost, "Running or Starting", "", "The node of a pod does not answer",
     "Bring the node back. Only if the machine is powered off, run the `kubectl taint` command of "
     "the message, or delete the Node object. Another pod takes the place once the old one is "
     "gone, and the command runs again."},
    {kReasonPodsRefused, "Starting", "", "A quota or policy refuses the pods",
     "Raise the quota or change the spec; Kubernetes retries."},
    {kReasonRefused, "Pending", "", "A quota or policy refuses an object",
     "Raise the quota or change the spec; the controller retries every 30 s."},
    {kReasonNameTaken, "Pending", "", "The name of an object is taken",
     "Delete or rename the named object. For the headless Service of another MiniCluster: give "
     "this one another `network.headlessName`, or let both use one Service "
     "(docs/pods.md#a-headless-service-that-exists)."},
    {kReasonServiceUnusable, "Pending", "", "The Service of `useExistingService` cannot be used",
     "Create or change the Service as the message says."},
    {kReasonInvalid, "Pending", "", "The spec is invalid (no webhook)",
     "Correct the named fields."},
    {kReasonUnknownField, "", "", "A field is unknown to Kubernetes",
     "Correct the name as the message says, in a new MiniCluster; if the cluster's Kubernetes is "
     "newer and has the field, it works, and nothing is to be done."},
    {kReasonNotApplied, "", "", "Fields were changed that cannot change",
     "Undo the change; or delete the MiniCluster and create it again with it."},
    {kReasonBeingDeleted, "Pending", "", "An object is being deleted",
     "Wait. If the object stays, remove what holds it: `kubectl get KIND NAME -o yaml` shows its "
     "finalizers."},
    {kReasonFailedCreate, "Pending", "", "The API server could not create an object",
     "The message has the API server's words, often about an admission webhook of the cluster; the "
     "controller retries."},
    {kReasonFieldDropped, "", "", "The API server drops a field of the Job",
     "Turn on the feature gate that the message names. If it names none, remove the field."},
    {kReasonContainerCannotStart, "Starting or Failed", "",
     "A container cannot be created or started",
     "Create the ConfigMap or key that the message names; if the program does not exist, correct "
     "`command` in a new MiniCluster."},
    {kReasonRefused, "Running", "", "A change of the size while the pods run in a queue of Kueue",
     "Restore the size, or delete the MiniCluster and create it again."},
    {kReasonWaiting, "Waiting", "", "It waits for the limits of a FluxSetup",
     "Wait. See docs/queue.md."},
    {kReasonPreempted, "Waiting", "",
     "It was suspended for a MiniCluster of a higher priority, as `spec.preemptible` allows",
     "Wait: it starts again, and then the command runs again. See docs/queue.md#preemption."},
    {kReasonStartDelayed, "Waiting", "", "It starts later than a FluxSetup's queue had promised",
     "Wait: it is still the next to start, unless the administrator lets other PriorityClasses "
     "come "
     "first. See docs/queue.md#start-times."},
    {kReasonNeverFits, "Waiting", "", "It never fits the limits of a FluxSetup",
     "Request less, in a new MiniCluster; or ask the administrator for a higher limit. See "
     "docs/queue.md."},
    {kReasonResumedPastQuota, "", "",
     "Another client resumed the Job past the limits of a FluxSetup",
     "Find out who resumes the Job. It starts by itself when there is room."},
    {kReasonReleased, "Waiting", "", "It and another MiniCluster waited for each other's nodes",
     "Wait: it starts after the other one. Gang scheduling prevents this (docs/scheduling.md)."},
    {kReasonGrowthWaits, "Running", "", "It was scaled up, and there is no room",
     "Wait, or scale down again."},
    {kReasonSuspended, "Suspended", "", "`spec.suspend` suspends it",
     "Run `kubectl minicluster resume NAME`; the command runs from the beginning."},
    {kReasonQueued, "Queued", "", "Kueue has suspended it, for the reason in the message",
     "See docs/lifecycle.md#queueing-systems."},
    {kReasonQueued, "Suspended", "",
     "A queue has suspended it, and the controller does not read why",
     "Ask the queueing system; with Kueue, run `kubectl get workloads`, or set the chart's "
     "`kueue.enabled` to see the reason in the status."},
    {kReasonQuorumUnreachable, "Starting", "",
     "The lead was restarted after the MiniCluster was scaled down",
     "Raise `spec.size` to the number in the message."},
    {kReasonDeadlineExceeded, "Failed", "", "It took too long",
     "Raise `deadlineSeconds` in a new MiniCluster."},
    {kReasonBackoffLimitExceeded, "Failed", "", "The infrastructure failed too often",
     "The message has the failure of the last pod."},
    {kReasonCommandFailed, "Failed", "", "The command failed",
     "The message has code and last lines; as long as its pod is there, `kubectl minicluster logs "
     "NAME` (or `kubectl logs` of its pod 0) has all."},
    {kReasonSnippetFailed, "Failed", "", "A snippet failed",
     "The message has pod, step, code and last lines."},
    {kReasonPodFailed, "Failed", "", "A pod ended for an unknown reason",
     "`kubectl logs` of the named pod, as long as it is there."},
    {kReasonJobFailed, "Failed", "", "The Job failed without a reason",
     "Run `kubectl describe job NAME`."},
    {kReasonJobLost, "Failed", "", "The Job was deleted while the controller did not run",
     "Find out what the command did, by its output or its files. To run it again, delete the "
     "MiniCluster and create it again."},
    {kReasonNameTaken, "Pending", "Job NAME (made by another operator for this MiniCluster)",
     "The public operator started it, and this operator leaves it alone",
     "Let it end; see step 4 of docs/migrating.md#migration-steps. If you delete its Job, the "
     "command runs again."},
    {kReasonNameTaken, "Pending",
     "Service ...: an object of that name exists and does not belong to this MiniCluster",
     "An object of this name belongs to something else; the operator does not change it",
     "Delete the object, or create the MiniCluster again with another name of the sidecar."},
    {kReasonRefused, "Pending", "... 403 Forbidden: ... exceeded quota: ...",
     "The namespace's quota for Jobs, Services, Secrets or ConfigMaps is used up",
     "Raise it; the controller retries every 30 s."},
    {kReasonRefused, "Pending", "... is forbidden: cannot set blockOwnerDeletion ...",
     "The controller lacks the right to `update` `miniclusters/finalizers` (`rbac.create=false`)",
     "Grant it."},
    {kReasonPodsRefused, "Starting", "... violates PodSecurity \"restricted:latest\": ...",
     "The namespace requires settings that the spec lacks", "See examples/restricted.yaml."},
    {kReasonFieldDropped, "", "... the API server dropped spec.successPolicy of the Job ...",
     "A feature gate of the API server is off. As a consequence, a pod that cannot end delays the "
     "end of the MiniCluster",
     "Turn the gate on in kube-apiserver and kube-controller-manager. New Jobs then have the "
     "field. For an existing MiniCluster run `kubectl delete job NAME`; the command then runs "
     "again."},
    {kReasonMountFailed, "Starting",
     "MountVolume.SetUp failed for volume ... : secret \"NAME-curve-...\" not found",
     "A user deleted that Secret",
     "Run `kubectl delete job NAME`. Job and Secret are recreated, and the command runs again."},
    {kReasonImagePullFailed, "Starting", "... container flux-view: ...",
     "Nodes cannot pull the Flux view, for example without internet access",
     "Push the image to your registry, and set `spec.flux.container.image` and "
     "`imagePullSecret`."},
    {kReasonCommandFailed, "Failed", "... alloc denied due to type=\"unsatisfiable\" ...",
     "The job requests more than the brokers that have joined so far provide. Fluxion's default "
     "policy, `fcfs`, denies such a job for good, even if more brokers join later (`minSize`, "
     "`maxSize`, bursting)",
     "Set `scheduler.queuePolicy: easy`, so that the job waits; or request less."},
});
static_assert(std::ranges::all_of(kRemedies, is_known_reason, &Remedy::reason));

constexpr auto kRemediesOfKueue = std::to_array<Remedy>({
    {"Inadmissible", "Queued", "LocalQueue ... doesn't exist", "",
     "Correct the label `kueue.x-k8s.io/queue-name`, or create the LocalQueue."},
    {"Inadmissible", "Queued", "ClusterQueue ... is inactive", "",
     "Start the queue again (`stopPolicy`), or ask its administrator to."},
    {"Inadmissible", "Queued", "... is stopped", "",
     "Start the queue again (`stopPolicy`), or ask its administrator to."},
    {"Pending", "Queued", "... current podset request (...) > maximum capacity (...)", "",
     "It never fits: reduce `size` or `resources`, or raise the quota."},
    {"Pending", "Queued", "... insufficient unused quota for ... in flavor ..., ... more needed",
     "", "Wait for its turn."},
    {"Preempted", "Queued", "Preempted to accommodate a workload ...", "",
     "Wait. It runs again from the beginning when there is room."},
    {"ClusterQueueStopped", "Queued", "The ClusterQueue is stopped", "",
     "It ran and was drained (`HoldAndDrain`). It runs again when the queue is started again."},
    {kReasonQueued, "Queued", "Kueue has not yet said why ...", "",
     "Wait: Kueue tries other Workloads first. If the reason does not change, check that Kueue "
     "works."},
});

}  // namespace

std::span<const Remedy> remedies() { return kRemedies; }
std::span<const Remedy> remedies_of_kueue() { return kRemediesOfKueue; }

}  // namespace mc::api
