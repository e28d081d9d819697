#include "services/controller/reconcile/execute.h"

#include <utility>

#include "common/api/model/names.h"
#include "common/base/json.h"
#include "common/kube/object.h"
#include "common/observe/log.h"
#include "services/api_resources.h"
#include "services/controller/cluster/read.h"
#include "services/controller/reconcile/drift.h"
#include "services/controller/reconcile/dropped_paths.h"

namespace mc::controller {
namespace {

// `of`: lives longer than the result, if it is a PodGroup.
kube::Resource resource_of(const ObjectVersion& of) {
  if (of.kind == PodGroup::kKind) return pod_groups_in(of.api_version);
  for (const kube::Resource* resource :
       {&kube::kConfigMaps, &kube::kSecrets, &kube::kServices, &kube::kPodDisruptionBudgets,
        &kube::kPods, &kube::kJobs, &kMiniClusters}) {
    if (resource->kind == of.kind) return *resource;
  }
  std::abort();  // no plan has an object of another kind
}

// Of an object that is sent, which render made.
ObjectVersion version_in(const json& sent) {
  const json& metadata = sent.at("metadata");
  const std::string kind = sent.at("kind");
  return {.kind = kind,
          .ns = metadata.at("namespace"),
          .name = metadata.at("name"),
          .api_version = kind == PodGroup::kKind ? sent.at("apiVersion").get<std::string>() : ""};
}

ObjectVersion version_of(const ObjectVersion& sent, const Metadata& there) {
  return {sent.kind, sent.ns, sent.name, there.uid, there.resource_version, sent.api_version};
}

std::string called(const ObjectVersion& object) { return object.kind + " " + object.name; }

void add_failure(const Error& error, Outcome& outcome) {
  if (error.kind == ErrorKind::Invalid || error.kind == ErrorKind::Forbidden) {
    outcome.refusals.push_back(error.message);
  } else {
    outcome.errors.push_back(error);
  }
}

// ` (of Kind name)`; empty without a controller.
std::string of_its_owner(const Owner& owner) {
  return owner.uid.empty() ? "" : " (of " + owner.kind.str() + " " + owner.name.str() + ")";
}

// The existing object of that name that blocks ours, for a message; empty if it is ours.
std::string obstacle(const ObjectVersion& ours, const Metadata& there,
                     const std::string& owner_uid) {
  if (there.owner.uid != owner_uid) return called(ours) + of_its_owner(there.owner);
  return is_deleted(there) ? called(ours) + " (being deleted)" : "";
}

std::string obstacle(const ObjectVersion& ours, const json& there, const std::string& owner_uid) {
  std::string what = obstacle(ours, read_metadata(there), owner_uid);
  if (!what.empty() || ours.kind != Job::kKind) return what;
  // The pods of our Jobs have the label that our Services select by.
  return find_label(read_template_labels(there), api::kUidLabel) != nullptr
             ? ""
             : called(ours) + " (made by another operator for this MiniCluster)";
}

// With -v 2, one line for each write that the API server has accepted.
void log_write(const char* what, const ObjectVersion& object) {
  if (!observe::log::v(2)) return;
  observe::log::info(what,
                     {{"kind", object.kind}, {"namespace", object.ns}, {"name", object.name}});
}

// The answer has what is read of the object.
Result<json> send_patch(const kube::Client& client, const ObjectVersion& target, const json& body,
                        std::string_view subresource = {}) {
  return client.send(kube::request::patch(resource_of(target), target.ns, target.name,
                                          kube::PatchType::Merge, body, subresource),
                     0, fields_of(target.kind));
}

// The API server tests that the object is as it was seen. Without the version its answer could
// include later changes by others, which the watch would then not report.
Result<json> send_patch_as_seen(const kube::Client& client, const ObjectVersion& target,
                                json body) {
  body["metadata"]["uid"] = target.uid;
  body["metadata"]["resourceVersion"] = target.resource_version;
  return send_patch(client, target, body);
}

// What blocks the Job of that name, for a message; empty if nothing does.
Result<std::string> job_obstacle(const kube::Client& client, const std::string& ns,
                                 const std::string& name, const std::string& owner_uid) {
  const auto there = client.get(kube::kJobs, ns, name);
  if (!there && there.error().kind == ErrorKind::NotFound) return "";
  if (!there) return std::unexpected(there.error());
  return obstacle({.kind = Job::kKind, .ns = ns, .name = name}, *there, owner_uid);
}

// Restores the labels of an object of ours, without which the watch does not select it. Null: it
// never had them, because another operator made it (`outcome` then says so).
Result<json> restore_labels(const kube::Client& client, json there, const json& wanted,
                            const std::string& owner_uid, Outcome& outcome) {
  const json lost = drift(wanted, read_labels(there));
  if (lost.is_null()) return there;
  const ObjectVersion target = version_of(version_in(wanted), read_metadata(there));
  const std::string cluster = wanted.at("metadata").at("labels").at(api::kClusterLabel);
  const auto what = job_obstacle(client, target.ns, cluster, owner_uid);
  if (!what) return std::unexpected(what.error());
  if (!what->empty()) {
    outcome.conflicts.push_back(*what);
    return json();
  }
  return send_patch_as_seen(client, target, lost);
}

// The existing object, if it is ours. Null for a Secret, and if the name is taken (`outcome` then
// says by what).
Result<json> already_exists(const kube::Client& client, const json& wanted,
                            const std::string& owner_uid, Outcome& outcome) {
  const ObjectVersion target = version_in(wanted);
  // Its name contains the uid of the cluster, and the controller may not read it.
  if (target.kind == "Secret") return json();
  auto there = client.get(resource_of(target), target.ns, target.name);
  if (!there) return there;
  (*there)["kind"] = target.kind;
  if (const std::string what = obstacle(target, *there, owner_uid); !what.empty()) {
    outcome.conflicts.push_back(what);
    return json();
  }
  auto ours = restore_labels(client, std::move(*there), wanted, owner_uid, outcome);
  if (ours && !ours->is_null()) outcome.unseen.push_back(called(target));
  return ours;
}

// The object as the API server has stored it; of a ConfigMap and a Secret only the metadata,
// because nothing else of them is kept.
Result<json> send_create(const kube::Client& client, const json& object) {
  const ObjectVersion sent = version_in(object);
  const std::string& kind = sent.kind;
  kube::Request request = kube::request::create(resource_of(sent), object);
  const bool without_data = kind == "ConfigMap" || kind == "Secret";
  if (without_data) request = kube::request::for_metadata(std::move(request));
  // Of a Job all, for record_dropped_fields.
  auto made = client.send(request, 0, kind == Job::kKind ? kAllFields : fields_of(kind));
  if (made && without_data) (*made)["kind"] = kind;
  return made;
}

// Records on the Job `made` what the API server dropped from what was sent: without any error it
// leaves out fields that it does not know. The watch reports the record.
void record_dropped_fields(const kube::Client& client, const json& sent, const json& made) {
  const std::string record = record_of(dropped_paths(sent, made));
  if (record.empty()) return;
  const Metadata job = read_metadata(made);
  const json body = {
      {"metadata", {{"uid", job.uid}, {"annotations", {{api::kDroppedAnnotation, record}}}}}};
  const auto done = client.patch(kube::kJobs, job.ns, job.name, kube::PatchType::Merge, body);
  if (done || done.error().kind == ErrorKind::NotFound) return;
  observe::log::warning("Dropped fields were not recorded on the Job",
                        {{"namespace", job.ns},
                         {"name", job.name},
                         {"fields", record},
                         {"error", done.error().message}});
}

// Without these an API server accepts a PodGroup that has not turned on the feature gate
// WorkloadAwarePreemption (Kubernetes 1.36).
Result<json> send_create_of_group(const kube::Client& client, json group) {
  auto made = send_create(client, group);
  if (made || made.error().kind != ErrorKind::Invalid) return made;
  for (const char* gated : {"disruptionMode", "priorityClassName"}) group["spec"].erase(gated);
  return send_create(client, group);
}

// False if the object does not exist or is not ours.
bool create(const kube::Client& client, const json& object, const std::string& owner_uid,
            const WriteHooks& hooks, Outcome& outcome) {
  const std::size_t conflicts = outcome.conflicts.size();
  const ObjectVersion target = version_in(object);
  const bool is_group = target.kind == PodGroup::kKind;
  auto made = is_group ? send_create_of_group(client, object) : send_create(client, object);
  if (made) hooks.created(target.kind);
  if (made) log_write("Created object", target);
  if (made && target.kind == Job::kKind) record_dropped_fields(client, object, *made);
  if (!made && made.error().kind == ErrorKind::AlreadyExists) {
    made = already_exists(client, object, owner_uid, outcome);
  }
  if (!made && is_group && made.error().kind == ErrorKind::Forbidden) {
    outcome.refused_group = made.error().message;
    return false;
  }
  if (!made) {
    const ErrorKind why = made.error().kind;
    if (why == ErrorKind::Unavailable || why == ErrorKind::Throttled) {
      outcome.failed_creates.push_back(made.error().message);
    }
    add_failure(made.error(), outcome);
    return false;
  }
  if (made->is_object()) hooks.learn(std::move(*made));
  return outcome.conflicts.size() == conflicts;
}

void patch(const kube::Client& client, const Patch& patch, const WriteHooks& hooks,
           Outcome& outcome) {
  auto changed = send_patch_as_seen(client, patch.target, patch.body);
  if (changed) {
    log_write("Patched object", patch.target);
    hooks.learn(std::move(*changed));
  } else {
    add_failure(changed.error(), outcome);
  }
}

// False if another operator has made a Job for this MiniCluster, or if that cannot be known.
bool is_free(const kube::Client& client, const ObjectVersion& job, const std::string& owner_uid,
             Outcome& outcome) {
  const auto what = job_obstacle(client, job.ns, job.name, owner_uid);
  if (!what) {
    outcome.errors.push_back(what.error());
  } else if (!what->empty()) {
    outcome.conflicts.push_back(*what);
  }
  return what && what->empty();
}

void remove(const kube::Client& client, const ObjectVersion& target, Outcome& outcome) {
  auto gone = client.remove(resource_of(target), target.ns, target.name, target.uid);
  if (gone) log_write("Deleted object", target);
  // Conflict: another object has that name now.
  if (gone || gone.error().kind == ErrorKind::NotFound ||
      gone.error().kind == ErrorKind::Conflict) {
    return;
  }
  add_failure(gone.error(), outcome);
}

// What keeps the pods from having DNS names by this Service; empty if nothing does.
std::string flaw_of(const Service& service, const Labels& pod_labels) {
  if (!service.is_headless) return "is not headless: it needs clusterIP None";
  if (!service.publishes_not_ready) {
    return "needs publishNotReadyAddresses, because brokers connect before they are ready";
  }
  if (service.selector.empty()) return "has no selector";
  for (const auto& [key, value] : service.selector) {
    const SharedText* has = find_label(pod_labels, key);
    if (has != nullptr && *has == value) continue;
    std::string out = "selects ";
    out.append(key).append("=").append(value);
    return out + ", which the pods do not have: set it in spec.pod.labels";
  }
  return "";
}

// False, with the reason in `outcome`, if the Service cannot be used or if that cannot be known.
bool is_usable(const kube::Client& client, const ExistingService& wanted, Outcome& outcome) {
  const auto there = client.get(kube::kServices, wanted.ns, wanted.name);
  if (!there && there.error().kind != ErrorKind::NotFound) {
    add_failure(there.error(), outcome);
    return false;
  }
  const std::string flaw =
      there ? flaw_of(read_service(*there), wanted.pod_labels)
            : "does not exist: create it, or leave out spec.network.useExistingService";
  if (!flaw.empty()) outcome.unusable_service = "Service " + wanted.name + " " + flaw;
  return flaw.empty();
}

// Whether the pods of the new Job may start.
bool starts(const json& object) {
  return object["kind"] == Job::kKind && at_path(object, {"spec", "suspend"}) != true;
}

kube::ObjectReference reference_to(const Metadata& cluster) {
  return {.api_version = kube::api_version(kMiniClusters),
          .kind = MiniCluster::kKind,
          .ns = cluster.ns,
          .name = cluster.name,
          .uid = cluster.uid,
          .resource_version = cluster.resource_version};
}

}  // namespace

Outcome execute(const kube::Client& client, const Plan& plan, const std::string& owner_uid,
                const WriteHooks& hooks) {
  Outcome outcome;
  if (plan.check_for_foreign_job && !plan.create.empty() &&
      !is_free(client, version_in(plan.create.back().object), owner_uid, outcome)) {
    return outcome;
  }
  if (plan.needs && !is_usable(client, *plan.needs, outcome)) return outcome;
  bool lacks_one = false;
  for (const Create& wanted : plan.create) {
    outcome.may_not_start = starts(wanted.object) && !hooks.may_start();
    if (outcome.may_not_start) return outcome;
    lacks_one = !create(client, wanted.object, owner_uid, hooks, outcome) && wanted.essential;
    if (lacks_one) break;
  }
  // The rest of the plan was made without knowing it.
  if (!outcome.unseen.empty()) return outcome;
  for (const Patch& wanted : plan.patch) {
    outcome.may_not_start = wanted.resumes() && !hooks.may_start();
    if (outcome.may_not_start) return outcome;
    if (!lacks_one || !wanted.needs_created) patch(client, wanted, hooks, outcome);
  }
  if (lacks_one) return outcome;
  for (const ObjectVersion& target : plan.remove) remove(client, target, outcome);
  return outcome;
}

Result<json> write_status(const kube::Client& client, const MiniCluster& cluster,
                          const ClusterStatus& wanted) {
  const ObjectVersion target = version_of(cluster);
  const json body = {{"metadata", {{"resourceVersion", target.resource_version}}},
                     {"status", kube::replacing_patch(to_json(cluster.status), to_json(wanted))}};
  auto written = send_patch(client, target, body, "status");
  if (written) log_write("Updated status", target);
  return written;
}

std::vector<Error> send_events(const kube::Client& client, const MiniCluster& cluster,
                               const std::vector<StatusEvent>& events,
                               const kube::EventSource& reporter,
                               std::chrono::system_clock::time_point now) {
  std::vector<Error> errors;
  const kube::ObjectReference about = reference_to(cluster.metadata);
  for (const StatusEvent& event : events) {
    const auto type = event.warning ? kube::EventType::Warning : kube::EventType::Normal;
    json body = kube::make_event(about, type, event.reason, event.message, reporter, now,
                                 event.is_one_of_many ? event.message : "");
    if (event.exit_code) {
      body["metadata"]["annotations"][api::kExitCodeAnnotation] = std::to_string(*event.exit_code);
    }
    const auto sent = kube::send_event(client, body);
    if (!sent) errors.push_back(sent.error());
  }
  return errors;
}

}  // namespace mc::controller
