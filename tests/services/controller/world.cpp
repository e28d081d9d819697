#include "tests/services/controller/world.h"

#include <array>
#include <cstdio>
#include <sstream>
#include <utility>

#include "common/api/model/names.h"
#include "common/base/json.h"
#include "common/base/rfc3339.h"
#include "common/kube/object.h"
#include "tests/common/kube/answers.h"

namespace mc::controller::test {
namespace {

constexpr std::size_t kMostNotes = 60;

std::string key_of(std::string_view kind, std::string_view name) {
  return std::string(kind) + " " + std::string(name);
}

kube::Response status(int code, const char* reason, const std::string& message) {
  return {code, kube::status(code, reason, message).dump(), 0};
}

kube::Response object(int code, const json& object) { return {code, object.dump(), 0}; }

bool has_finalizers(const json& object) {
  return !at_path(object, {"metadata", "finalizers"}).empty();
}

// Whether the API server accepts this change of an Indexed Job.
bool may_resize(const json& before, const json& after) {
  const json& completions = at_path(after, {"spec", "completions"});
  return completions == at_path(before, {"spec", "completions"}) ||
         completions == at_path(after, {"spec", "parallelism"});
}

bool is_as_expected(const json& body, const json& there, const char* member) {
  const std::string expected = text_at(body, {"metadata", member});
  return expected.empty() || expected == text_at(there, {"metadata", member});
}

json merged(json object, const json& body, bool only_status) {
  if (only_status) {
    object["status"].merge_patch(at_path(body, {"status"}));
    return object;
  }
  const json status = at_path(object, {"status"});
  object.merge_patch(body);
  if (!status.is_null()) object["status"] = status;
  return object;
}

}  // namespace

std::string name_of(const json& object) { return text_at(object, {"metadata", "name"}); }

std::string uid_of(const json& object) { return text_at(object, {"metadata", "uid"}); }

bool is_deleted(const json& object) {
  return !text_at(object, {"metadata", "deletionTimestamp"}).empty();
}

bool is_queued(const json& job) {
  return !text_at(job, {"metadata", "labels", api::kQueueLabel}).empty();
}

bool has_ended(const json& job) {
  for (const json& condition : at_path(job, {"status", "conditions"})) {
    if (condition.at("type") == "Complete" || condition.at("type") == "Failed") return true;
  }
  return false;
}

bool is_of_another_operator(const json& object) {
  return text_at(object, {"kind"}) == "Job" &&
         text_at(object, {"spec", "template", "metadata", "labels", api::kUidLabel}).empty();
}

std::string Timeline::now() const { return rfc3339(clock_.wall()); }

void Timeline::pass_until(std::chrono::sys_seconds time) {
  if (time > clock_.wall()) pass(std::chrono::ceil<std::chrono::seconds>(time - clock_.wall()));
}

void Timeline::note(const std::string& what) {
  notes_.push_back(now() + " " + what);
  if (notes_.size() > kMostNotes) notes_.pop_front();
}

const json* World::find(std::string_view kind, std::string_view name) const {
  const auto it = objects_.find(key_of(kind, name));
  return it == objects_.end() ? nullptr : &it->second;
}

std::vector<json> World::all(std::string_view kind) const {
  std::vector<json> out;
  for (const auto& [key, object] : objects_) {
    if (object.at("kind") == kind) out.push_back(object);
  }
  return out;
}

std::vector<json> World::all() const {
  std::vector<json> out;
  for (const auto& [key, object] : objects_) out.push_back(object);
  return out;
}

void World::stamp(json& object, const json* before) {
  json& metadata = object["metadata"];
  metadata["namespace"] = ns_;
  if (before == nullptr) {
    std::array<char, 40> uid{};
    ++uids_;
    std::snprintf(uid.data(), uid.size(), "%08x-0000-4000-8000-%012x", static_cast<unsigned>(uids_),
                  number_);
    metadata["uid"] = uid.data();
    metadata["creationTimestamp"] = time();
    metadata["generation"] = 1;
  } else if (at_path(*before, {"spec"}) != at_path(object, {"spec"})) {
    metadata["generation"] = integer_at(*before, {"metadata", "generation"}) + 1;
  }
}

// An update without a change gets no new resourceVersion.
void World::store(const std::string& key, json after) {
  const auto it = objects_.find(key);
  const json before = it == objects_.end() ? json() : it->second;
  if (before == after) return;
  ++version_;
  if (after.is_null()) {
    json last = before;
    last["metadata"]["resourceVersion"] = std::to_string(version_);
    objects_.erase(it);
    tell_change(last, json());
    return;
  }
  after["metadata"]["resourceVersion"] = std::to_string(version_);
  json& there = objects_[key] = std::move(after);
  if (at_path(there, {"kind"}) == "Job" && has_ended(there) && started.contains(uid_of(there))) {
    ended.insert(kube::controller_uid(there));
  }
  tell_change(before, there);
}

void World::tell_change(const json& before, const json& after) const {
  for (const auto& tell : on_change) tell(before, after);
}

void World::tell_write(const Write& write) const {
  for (const auto& tell : on_write) tell(write);
}

void World::put(json object) {
  const std::string kind = text_at(object, {"kind"}), name = text_at(object, {"metadata", "name"});
  stamp(object, find(kind, name));
  store(key_of(kind, name), std::move(object));
}

void World::change(std::string_view kind, std::string_view name, const json& patch) {
  json object = *find(kind, name);
  object.merge_patch(patch);
  put(std::move(object));
}

void World::remove(std::string_view kind, std::string_view name) {
  const json* there = find(kind, name);
  if (there == nullptr) return;
  if (!has_finalizers(*there)) return store(key_of(kind, name), json());
  if (!text_at(*there, {"metadata", "deletionTimestamp"}).empty()) return;
  change(kind, name, {{"metadata", {{"deletionTimestamp", time()}}}});
}

World::Address World::address_of(const kube::Request& request) {
  static const std::map<std::string, std::string> kKinds = {
      {"miniclusters", "MiniCluster"},
      {"jobs", "Job"},
      {"pods", "Pod"},
      {"services", "Service"},
      {"poddisruptionbudgets", "PodDisruptionBudget"},
      {"configmaps", "ConfigMap"},
      {"secrets", "Secret"},
      {"events", "Event"},
      {"fluxsetups", "FluxSetup"}};
  std::vector<std::string> parts;
  std::istringstream path(request.path.substr(0, request.path.find('?')));
  for (std::string part; std::getline(path, part, '/');) parts.push_back(part);
  std::size_t at = 0;
  while (!kKinds.contains(parts.at(at))) ++at;
  parts.resize(std::max(parts.size(), at + 3));
  return {kKinds.at(parts[at]), parts[at + 1], parts[at + 2]};
}

kube::Response World::create(const Address& at, json object_given) {
  const std::string name = text_at(object_given, {"metadata", "name"});
  if (find(at.kind, name) != nullptr) return status(409, "AlreadyExists", name + " exists");
  json made = std::move(object_given);
  if (at.kind == "Job") {
    // Kueue's webhook suspends every Job with a queue.
    const bool held = is_queued(made) || at_path(made, {"spec", "suspend"}) == true;
    made["spec"]["suspend"] = held;
    made["status"] = json::object();
  }
  put(made);
  tell_write({"POST", at.kind, name, false, made, json(), *find(at.kind, name)});
  return object(201, *find(at.kind, name));
}

kube::Response World::patch(const Address& at, const json& body) {
  const json* there = find(at.kind, at.name);
  if (there == nullptr) return status(404, "NotFound", at.name + " not found");
  for (const char* member : {"uid", "resourceVersion"}) {
    if (!is_as_expected(body, *there, member)) return status(409, "Conflict", member);
  }
  const json before = *there;
  json after = merged(before, body, at.subresource == "status");
  if (at.kind == "Job" && !may_resize(before, after)) {
    return status(422, "Invalid", "spec.completions: Invalid value");
  }
  put(std::move(after));
  tell_write({"PATCH", at.kind, at.name, at.subresource == "status", body, before,
              *find(at.kind, at.name)});
  return object(200, *find(at.kind, at.name));
}

kube::Response World::erase(const Address& at, const json& options) {
  const json* there = find(at.kind, at.name);
  if (there == nullptr) return status(404, "NotFound", at.name + " not found");
  const std::string uid = text_at(options, {"preconditions", "uid"});
  if (!uid.empty() && uid != text_at(*there, {"metadata", "uid"})) {
    return status(409, "Conflict", "uid");
  }
  const json before = *there;
  remove(at.kind, at.name);
  const json* left = find(at.kind, at.name);
  tell_write(
      {"DELETE", at.kind, at.name, false, options, before, left == nullptr ? json() : *left});
  return object(200, before);
}

// Our own events are never watched.
kube::Response World::answer_event(const kube::Request& request, const std::string& name) {
  json body = request.body.empty() ? json() : json::parse(request.body);
  if (request.method == "POST") {
    body["metadata"].update({{"uid", "event"}, {"resourceVersion", "1"}});
    const std::string given = text_at(body, {"metadata", "name"});
    const bool is_new = events_.emplace(given, body).second;
    return is_new ? object(201, body) : status(409, "AlreadyExists", given + " exists");
  }
  const auto there = events_.find(name);
  if (there == events_.end()) return status(404, "NotFound", name + " not found");
  if (request.method == "PATCH") there->second.merge_patch(body);
  return object(200, there->second);
}

kube::Response World::answer(const kube::Request& request, const Address& at) {
  if (at.kind == "Event" && request.method == "GET" && at.name.empty()) return events_of(request);
  if (at.kind == "Event") return answer_event(request, at.name);
  if (request.method == "POST") return create(at, json::parse(request.body));
  if (request.method == "PATCH") return patch(at, json::parse(request.body));
  if (request.method == "DELETE") return erase(at, json::parse(request.body));
  if (at.name.empty()) return list(request, at);
  const json* there = find(at.kind, at.name);
  return there == nullptr ? status(404, "NotFound", at.name + " not found") : object(200, *there);
}

// By the uid of the object that they are about.
kube::Response World::events_of(const kube::Request& request) const {
  json items = json::array();
  for (const json& event : all("Event")) {
    const std::string uid = text_at(event, {"involvedObject", "uid"});
    if (request.path.find("involvedObject.uid%3D" + uid) != std::string::npos)
      items.push_back(event);
  }
  return object(200, {{"metadata", json::object()}, {"items", std::move(items)}});
}

// By name: the only other kind of list in a reconcile.
kube::Response World::list(const kube::Request& request, const Address& at) const {
  const std::string selector = "fieldSelector=metadata.name%3D";
  const std::size_t begin = request.path.find(selector) + selector.size();
  const json* there = find(at.kind, request.path.substr(begin, request.path.find('&') - begin));
  json items = json::array();
  if (there != nullptr) items.push_back(*there);
  return object(200, {{"metadata", {{"resourceVersion", std::to_string(version_)}}},
                      {"items", std::move(items)}});
}

Result<kube::Response> World::send(const kube::Request& request) {
  ++requests_;
  on_request(request);
  if (const int code = refuse(request); code != 0) return status(code, "Refused", "refused");
  if (unreliable && chance(10)) meanwhile();
  const std::size_t luck = unreliable ? pick(100) : 99;
  const auto told = [&](const std::string& how) {
    note("  " + request.method + " " + request.path + " -> " + how);
  };
  if (luck < 2) {
    told("no answer, not done");
    return fail(ErrorKind::Unavailable, request.what + ": timeout");
  }
  if (luck < 4) {
    told("403");
    return status(403, "Forbidden", "exceeded quota: small");
  }
  if (luck < 6) {
    told("429");
    return status(429, "TooManyRequests", "later");
  }
  const kube::Response response = answer(request, address_of(request));
  if (unreliable && chance(20)) meanwhile();
  if (luck < 9) {
    told("done, and no answer");
    return fail(ErrorKind::Unavailable, request.what + ": timeout");
  }
  told(std::to_string(response.status));
  return response;
}

Result<void> World::stream(const kube::Request& request, std::stop_token,
                           const std::function<bool(std::string_view)>&) {
  return fail(ErrorKind::Unavailable, request.what + ": watches are told by LateWatches");
}

}  // namespace mc::controller::test
