#include "tests/services/controller/invariants.h"

#include "common/api/model/conditions.h"
#include "common/api/model/names.h"
#include "common/base/json.h"
#include "services/controller/reconcile/plan.h"
#include "tests/services/controller/actors.h"
#include "tests/services/controller/sent.h"

// Checks of every request. For the checks at rest, see invariants_at_rest.cpp.
namespace mc::controller::test {
namespace {

const json& conditions_of(const json& cluster) {
  return at_path(cluster, {"status", "conditions"});
}

// The condition Complete or Failed; null if there is none.
const json* end_condition(const json& conditions) {
  for (const std::string_view type : {api::kComplete, api::kFailed}) {
    const json* found = api::find_condition(conditions, type);
    if (found != nullptr && found->at("status") == "True") return found;
  }
  return nullptr;
}

// The condition Complete or Failed as text, with its time; empty if there is none.
std::string end_of(const json& cluster) {
  const json* found = end_condition(conditions_of(cluster));
  return found == nullptr ? "" : found->dump();
}

// Also one that has lost its label.
bool is_or_was_queued(const json& job) {
  return is_queued(job) || !text_at(job, {"metadata", "annotations", kAdmitted}).empty();
}

// Whether a patch of a MiniCluster only records its end.
bool keeps_end(const json& patch) {
  const json& metadata = at_path(patch, {"metadata"});
  const json& annotations = at_path(metadata, {"annotations"});
  return patch.size() == 1 && metadata.size() == 3 && annotations.size() == 1 &&
         annotations.contains(api::kEndAnnotation);
}

bool same(const Write& write, std::initializer_list<std::string_view> path) {
  return at_path(write.before, path) == at_path(write.after, path);
}

}  // namespace

InvariantChecker::InvariantChecker(World& world, const Caches& caches)
    : world_(world), caches_(caches), key_(world.ns() + "/" + kName) {
  world_.on_write.emplace_back([this](const Write& write) { judge_write(write); });
  world_.on_request = [this](const kube::Request& request) { judge_request(request); };
}

void InvariantChecker::blame(const std::string& what) { faults_.push_back(what); }

void InvariantChecker::begin_reconcile() {
  const auto seen = caches_.clusters.get(key_);
  view_ = seen == nullptr ? json() : sent_cluster(*seen);
  look();
  seen_as_ours_.clear();
  const auto add = [&](const auto& objects) {
    for (const auto& known : objects.owned_by(world_.ns(), uid_of(view_))) {
      seen_as_ours_.insert(known->metadata.uid);
    }
  };
  add(caches_.config_maps);
  add(caches_.services);
  add(caches_.pods);
  add(caches_.jobs);
  finished_ = !ends_[uid_of(view_)].empty();
  before_ = after_ = json();
}

void InvariantChecker::judge_request(const kube::Request& request) {
  const std::string what = request.method + " " + request.path;
  const bool is_secret = request.path.find("/secrets") != std::string::npos;
  if (is_secret && request.method != "POST") blame(what + ": reads or changes a Secret");
  if (request.method == "PUT") blame(what + ": nothing is replaced in whole");
  if (request.method == "DELETE") {
    const json options = json::parse(request.body);
    if (text_at(options, {"preconditions", "uid"}).empty()) blame(what + ": tests no uid");
    if (options.value("propagationPolicy", "") != "Background") blame(what + ": not Background");
  }
  if (request.method == "PATCH" && !request.path.ends_with("/status")) {
    const json body = json::parse(request.body);
    for (const char* member : {"uid", "resourceVersion"}) {
      if (text_at(body, {"metadata", member}).empty()) blame(what + ": tests no " + member);
    }
  }
  if (request.method == "PATCH" && request.path.find("/miniclusters/") != std::string::npos &&
      !request.path.ends_with("/status") && !keeps_end(json::parse(request.body))) {
    blame(what + ": changes more of a MiniCluster than its status and its end");
  }
  if (request.method == "POST" && request.path.ends_with("/events")) {
    judge_event(json::parse(request.body));
  } else if (request.method != "GET") {
    if (view_.is_null()) blame(what + ": there is no MiniCluster");
    if (is_managed_by_other(api::parse(view_))) blame(what + ": another controller's MiniCluster");
    if (!text_at(view_, {"metadata", "deletionTimestamp"}).empty()) blame(what + ": it is deleted");
  }
}

void InvariantChecker::judge_write(const Write& write) {
  if (finished_ && write.verb != "DELETE" && !(write.kind == api::kKind && keeps_end(write.body))) {
    blame(write.verb + " of " + write.kind + " " + write.name + ": it had ended");
  }
  if (write.is_status) return judge_status(write);
  if (write.verb == "POST") return judge_create(write);
  judge_target(write);
  if (write.verb == "DELETE") judge_removal(write);
  if (write.verb == "PATCH" && write.kind == "Job") judge_job_patch(write);
  if (write.verb == "PATCH" && !same(write, {"metadata", "annotations", "test/foreign"})) {
    blame("PATCH of " + write.kind + ": an annotation of another is changed");
  }
}

bool InvariantChecker::is_ours(const json& object) const {
  return kube::controller_uid(object) == uid_of(view_);
}

void InvariantChecker::judge_target(const Write& write) {
  const std::string what = write.verb + " of " + write.kind + " " + write.name;
  if (write.kind == api::kKind) {
    if (uid_of(write.before) != uid_of(view_)) blame(what + ": a namesake");
    return;
  }
  // A deleted object may have lost its owner since the reconcile began.
  const bool late = write.verb == "DELETE" && seen_as_ours_.contains(uid_of(write.before));
  // The controller annotates the lead, a pod of the Job, with the admitted size.
  const bool told = write.verb == "PATCH" && write.kind == "Pod" &&
                    seen_as_ours_.contains(kube::controller_uid(write.before));
  if (!is_ours(write.before) && !late && !told) blame(what + ": not of this MiniCluster");
  if (is_of_another_operator(write.before)) blame(what + ": made by another operator");
  const json* job = world_.find("Job", kName);
  if (job != nullptr && is_of_another_operator(*job) && is_ours(*job)) {
    blame(what + ": another operator runs this MiniCluster");
  }
}

void InvariantChecker::judge_create(const Write& write) {
  const std::string what = "POST of " + write.kind + " " + write.name;
  if (kube::controller_uid(write.after) != uid_of(view_)) blame(what + ": not of its owner");
  const json* job = world_.find("Job", kName);
  const bool had_status = !at_path(view_, {"status"}).empty();
  if (job != nullptr && is_ours(*job) && is_of_another_operator(*job) && had_status) {
    blame(what + ": another operator runs this MiniCluster");
  }
  if (write.kind != "Job") return;
  if (world_.ended.contains(uid_of(view_))) blame(what + ": its command runs once more");
  const std::int64_t size = integer_at(view_, {"spec", "size"});
  ceilings_[uid_of(write.after)] = integer_at(view_, {"spec", "maxSize"}, size);
  if (integer_at(write.after, {"spec", "completions"}) != size) blame(what + ": of another size");
}

void InvariantChecker::judge_job_patch(const Write& write) {
  const std::string what = "PATCH of the Job " + write.body.dump();
  for (const char* member : {"completions", "parallelism"}) {
    if (integer_at(write.after, {"spec", member}) > ceilings_[uid_of(write.after)] &&
        !same(write, {"spec", member})) {
      blame(what + ": above the ceiling");
    }
  }
  if (!same(write, {"spec", "template"})) blame(what + ": changes the template");
  const json& annotations = at_path(write.after, {"metadata", "annotations"});
  if (!same(write, {"metadata", "annotations", api::kEndAnnotation}) &&
      text_at(annotations, {api::kEndAnnotation}).find("was lost") != std::string::npos &&
      may_lead_end(write.after)) {
    blame(what + ": its lead is on its way to end by itself");
  }
  if (!is_or_was_queued(write.before)) return;
  if (!same(write, {"spec", "suspend"})) blame(what + ": undoes what Kueue decided");
  const std::string applied =
      text_at(write.before, {"metadata", "annotations", api::kSizeAnnotation});
  const bool asked = applied != std::to_string(integer_at(view_, {"spec", "size"}));
  if (!asked && !(same(write, {"spec", "parallelism"}) && same(write, {"spec", "completions"}))) {
    blame(what + ": undoes Kueue's partial admission");
  }
}

// Allowed deletions: after the end, the services, the PodDisruptionBudget and the MiniCluster;
// before the end, a Job that never ran, and the services of a suspended Job.
void InvariantChecker::judge_removal(const Write& write) {
  const std::string what = "DELETE of " + write.kind + " " + write.name;
  const json& spec = at_path(view_, {"spec"});
  if (write.kind == api::kKind) {
    const bool asked = spec.value("cleanup", false) || spec.contains("ttlSecondsAfterFinished");
    if (!finished_ || !asked) blame(what + ": nobody asked for it");
  } else if (write.kind == "Pod") {
    const auto job = caches_.jobs.get(key_);
    const bool held = job != nullptr && job->is_suspended;
    if (!(finished_ || held) || write.name != "sample-services") {
      blame(what + ": it has not ended");
    }
  } else if (write.kind == "PodDisruptionBudget") {
    if (!finished_ && spec.contains("podDisruptionBudget")) blame(what + ": it has not ended");
  } else if (write.kind == "Job") {
    const auto seen = caches_.jobs.get(key_);
    if (finished_ || seen == nullptr || !seen->is_suspended || seen->started) {
      blame(what + ": it may have run");
    }
  } else {
    blame(what + ": nobody asked for it");
  }
}

void InvariantChecker::judge_status(const Write& write) {
  if (text_at(write.body, {"metadata", "resourceVersion"}).empty()) {
    blame("PATCH of status: tests no version");
  }
  if (uid_of(write.before) != uid_of(view_)) blame("PATCH of status: a namesake's");
  if (write.before == write.after) blame("PATCH of status: changes nothing");
  look();
  before_ = conditions_of(write.before);
  after_ = conditions_of(write.after);
  if (!before_.is_array()) before_ = json::array();
  for (const json& old : before_) {
    const std::string type = text_at(old, {"type"});
    if (!api::is_for_waiters(type) && api::find_condition(after_, type) == nullptr) {
      blame("PATCH of status: loses " + old.dump());
    }
  }
  const json* end = end_condition(after_);
  if (end != nullptr && end_condition(before_) == nullptr) judge_end(*end);
  for (const json& now : after_) {
    told_.insert(text_at(now, {"type"}) + " " + text_at(now, {"reason"}));
    const json* old = api::find_condition(before_, text_at(now, {"type"}));
    const bool moved = old == nullptr || old->at("status") != now.at("status");
    const json& time = now.at("lastTransitionTime");
    const bool right = moved ? time == world_.time() : time == old->at("lastTransitionTime");
    if (!right) blame("PATCH of status: the time of " + now.dump());
  }
}

// Checks that the reported end is the true one.
void InvariantChecker::judge_end(const json& end) {
  const json* job = world_.find("Job", kName);
  const auto seen = caches_.jobs.get(key_);
  if (job == nullptr || seen == nullptr || uid_of(*job) != seen->metadata.uid) return;
  const std::string truth = text_at(*job, {"metadata", "annotations", kTruth});
  const std::string reason = text_at(end, {"reason"}), message = text_at(end, {"message"});
  // The end was recorded earlier, when it was true or all that was known.
  const bool kept = !seen->notes.end.empty();
  if (kept && (truth.empty() || reason == "OOMKilled")) return;
  // A pod that the controller does not see cannot show what ended in it.
  if (message.find("and its log are gone") != std::string::npos) {
    for (const Shared<Pod>& pod : caches_.pods.owned_by(world_.ns(), uid_of(*job))) {
      if (message.find(pod->metadata.name) != std::string::npos) {
        blame("the end " + message + ", and the pod is there");
      }
    }
    return;
  }
  const auto is_told = [&] {
    const std::size_t at = message.find(truth.substr(1));  // may begin a sentence
    const std::size_t after = at + truth.size() - 1;
    return !truth.empty() && at != std::string::npos &&
           (after >= message.size() || message[after] < '0' || message[after] > '9');
  };
  const std::string wrong = "the end " + reason + ": " + message + ", and the truth is " + truth;
  if (reason == "CommandSucceeded") {
    if (truth != "the command ended with code 0") blame(wrong);
  } else if (reason == "CommandFailed" || reason == "SnippetFailed") {
    const bool is_command = truth.starts_with("the command ");
    if (!is_told() || is_command != (reason == "CommandFailed") || truth.ends_with(" code 0")) {
      blame(wrong);
    }
  } else if (reason == "DeadlineExceeded" || reason == "BackoffLimitExceeded" ||
             reason == "OOMKilled") {
    if (kept) blame(wrong + ", and the Job was told to give up for another reason");
    const json* why = end_condition(at_path(*job, {"status", "conditions"}));
    if (why == nullptr || text_at(*why, {"reason"}) == "PodFailurePolicy") blame(wrong);
  } else {
    blame(wrong);
  }
}

void InvariantChecker::judge_event(const json& event) {
  const std::string reason = text_at(event, {"reason"});
  if (uid_of(view_) != text_at(event, {"involvedObject", "uid"})) blame("Event of a namesake");
  const auto [said, is_new] = events_.emplace(text_at(event, {"metadata", "name"}), reason);
  if (!is_new && said->second != reason) {
    blame("Event " + reason + ": its name is that of " + said->second);
  }
  for (const json& now : after_) {
    const json* old = api::find_condition(before_, text_at(now, {"type"}));
    const bool changed = old == nullptr || old->at("status") != now.at("status") ||
                         old->at("reason") != now.at("reason");
    if (changed && now.at("reason") == reason) return;
  }
  blame("Event " + reason + ": no condition has changed");
}

void InvariantChecker::look() {
  const json* there = world_.find(api::kKind, kName);
  if (there == nullptr) return;
  const std::string end = end_of(*there);
  std::string& known = ends_[uid_of(*there)];
  if (!known.empty() && end != known) blame("the end was " + known + " and is now " + end);
  known = end;
}

}  // namespace mc::controller::test
