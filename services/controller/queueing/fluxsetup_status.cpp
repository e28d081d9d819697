#include "services/controller/queueing/fluxsetup_status.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "common/api/model/conditions.h"
#include "common/api/model/names.h"
#include "common/base/rfc3339.h"
#include "common/base/text.h"
#include "common/kube/object.h"
#include "common/observe/log.h"
#include "services/api_resources.h"
#include "services/controller/cluster/read.h"
#include "services/controller/queueing/usage.h"

namespace mc::controller::queueing {
namespace {

// In a column of `kubectl get`.
constexpr std::size_t kMostInSummary = 3;

// The API server limits a message to 32768 bytes.
constexpr std::size_t kMostMessage = 16384;

constexpr std::size_t kMostReplaced = std::size_t{64} * 1024;

json list_of(const api::Amounts& amounts) {
  json out = json::object();
  for (const auto& [name, amount] : amounts) out[name] = api::shown(name, amount);
  return out;
}

// The resources to show, devices first.
std::vector<std::string> most_important(const api::Amounts& hard) {
  static constexpr std::array kOrder = {"cpu", "memory", "pods", "miniclusters"};
  std::vector<std::string> out;
  for (const auto& [name, unused] : hard) {
    if (name.contains('/')) out.push_back(name);
  }
  for (const char* name : kOrder) {
    if (hard.contains(name)) out.emplace_back(name);
  }
  if (out.size() > kMostInSummary) out.resize(kMostInSummary);
  return out;
}

std::string summary(const std::vector<std::string>& names, const api::Amounts& amounts) {
  std::vector<std::string> parts;
  parts.reserve(names.size());
  for (const std::string& name : names) {
    parts.push_back(name + " " + api::shown(name, amounts.at(name)));
  }
  return joined(parts, ", ");
}

json with(const FluxSetup& setup, const std::vector<api::Condition>& conditions, json out,
          const std::string& now) {
  out["conditions"] =
      to_json(api::with_conditions(setup.conditions, conditions, setup.generation, now));
  out["observedGeneration"] = setup.generation;
  return out;
}

api::Condition accepted() {
  return {std::string(api::kAccepted), true, api::kReasonValid, "The spec is valid."};
}

api::Condition in_force(bool status, api::KnownReason reason, std::string message) {
  return {std::string(api::kInForce), status, reason, std::move(message)};
}

// Each write tests the uid.
json body_for(const FluxSetup& setup) { return {{"metadata", {{"uid", setup.metadata.uid}}}}; }

kube::ObjectReference reference_to(const FluxSetup& setup) {
  return {.api_version = kube::api_version(kFluxSetups),
          .kind = FluxSetup::kKind,
          .name = setup.metadata.name,
          .uid = setup.metadata.uid,
          .resource_version = setup.metadata.resource_version};
}

// True: done. False: it is gone, or another has its name.
Result<bool> is_done(const Result<json>& written) {
  if (written) return true;
  const ErrorKind why = written.error().kind;
  if (why == ErrorKind::NotFound || why == ErrorKind::Conflict) return false;
  return std::unexpected(written.error());
}

}  // namespace

json status_in_force(const FluxSetup& setup, const Counts& counts, const std::string& now) {
  const api::Amounts hard = api::amounts(setup.parsed.hard);
  const api::Amounts used = used_of(hard, counts.used);
  const auto names = most_important(hard);
  json out = {{"hard", list_of(hard)},
              {"used", list_of(used)},
              {"admitted", counts.admitted},
              {"waiting", counts.waiting},
              {"summary", {{"hard", summary(names, hard)}, {"used", summary(names, used)}}}};
  return with(
      setup,
      {accepted(), in_force(true, api::kReasonNewest, "This is the newest valid FluxSetup.")},
      std::move(out), now);
}

json status_superseded(const FluxSetup& setup, const std::string& by, const std::string& now) {
  return with(
      setup,
      {accepted(), in_force(false, api::kReasonSuperseded, "The FluxSetup " + by + " is newer.")},
      json::object(), now);
}

json status_invalid(const FluxSetup& setup, const std::string& now) {
  std::string errors(cut_utf8(api::to_string(setup.errors), kMostMessage));
  return with(setup,
              {{std::string(api::kAccepted), false, api::kReasonInvalid, std::move(errors)},
               in_force(false, api::kReasonInvalid, "An invalid FluxSetup is never in force.")},
              json::object(), now);
}

std::string replaced_annotation(const std::string& before, const FluxSetup& old) {
  json all = json::array();
  all.push_back({{"name", old.metadata.name}, {"spec", old.spec.tree()}});
  const json earlier = json::parse(before, nullptr, false);
  for (const json& one : items_at(earlier, {})) {
    if (at_path(one, {"name"}) != all[0]["name"] || at_path(one, {"spec"}) != all[0]["spec"]) {
      all.push_back(one);
    }
  }
  std::string text = dump(all);
  while (text.size() > kMostReplaced && all.size() > 1) {
    all.erase(all.size() - 1);
    text = dump(all);
  }
  return text.size() <= kMostReplaced ? text : "[]";
}

Result<void> FluxSetupWriter::write(const Setups& setups, const Counts& counts) const {
  const std::string time = rfc3339(clock_.wall());
  for (const Shared<FluxSetup>& setup : setups.invalid) {
    const auto done = write_status(*setup, status_invalid(*setup, time));
    if (!done) return std::unexpected(done.error());
  }
  if (!setups.in_force) return {};
  const FluxSetup& by = *setups.in_force;
  for (const Shared<FluxSetup>& old : setups.older) {
    const auto done = write_status(*old, status_superseded(*old, by.metadata.name, time));
    if (!done) return std::unexpected(done.error());
  }
  const auto says_so = write_status(by, status_in_force(by, counts, time));
  if (!says_so) return std::unexpected(says_so.error());
  if (!*says_so) return {};
  std::string replaced = by.replaced;
  for (const Shared<FluxSetup>& old : setups.older) {
    if (old->is_kept) continue;
    replaced = replaced_annotation(replaced, *old);
    if (auto done = replace(by, *old, replaced); !done) return done;
  }
  return {};
}

Result<bool> FluxSetupWriter::write_status(const FluxSetup& setup, const json& status) const {
  if (setup.status == Opaque(status)) return true;
  json body = body_for(setup);
  body["status"] = kube::replacing_patch(setup.status.tree(), status);
  return is_done(
      client_.patch(kFluxSetups, "", setup.metadata.name, kube::PatchType::Merge, body, "status"));
}

// Writes the annotation with the specs of those that it has replaced.
Result<bool> FluxSetupWriter::keep_specs(const FluxSetup& by, const std::string& replaced) const {
  json body = body_for(by);
  body["metadata"]["annotations"][api::kReplacedAnnotation] = replaced;
  return is_done(client_.patch(kFluxSetups, "", by.metadata.name, kube::PatchType::Merge, body));
}

// The new one keeps the spec of the old one, before the old one goes.
Result<void> FluxSetupWriter::replace(const FluxSetup& by, const FluxSetup& old,
                                      const std::string& replaced) const {
  const auto kept = keep_specs(by, replaced);
  if (!kept) return std::unexpected(kept.error());
  if (!*kept) return {};
  const auto gone = client_.remove(kFluxSetups, "", old.metadata.name, old.metadata.uid);
  if (!gone && gone.error().kind != ErrorKind::NotFound &&
      gone.error().kind != ErrorKind::Conflict) {
    return std::unexpected(gone.error());
  }
  tell(by, old.metadata.name);
  return {};
}

void FluxSetupWriter::tell(const FluxSetup& by, const std::string& old_name) const {
  const std::string& name = by.metadata.name;
  log::info("FluxSetup replaced", {{"name", old_name}, {"by", name}});
  const std::string message = "This FluxSetup replaces " + old_name +
                              ", which was deleted. The annotation " +
                              std::string(api::kReplacedAnnotation) + " has its spec.";
  const auto event = kube::send_event(
      client_, kube::make_event(reference_to(by), kube::EventType::Normal, api::kReasonReplaced,
                                message, reporter_, clock_.wall()));
  if (!event) {
    log::warning("Event was not sent", {{"fluxsetup", name}, {"error", event.error().message}});
  }
}

}  // namespace mc::controller::queueing
