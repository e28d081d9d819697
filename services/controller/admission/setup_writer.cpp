#include "services/controller/admission/setup_writer.h"

#include <string>

#include "common/api/model/names.h"
#include "common/base/json.h"
#include "common/base/rfc3339.h"
#include "common/kube/object.h"
#include "common/observe/log.h"

namespace mc::controller::admission {
namespace {

// Each write tests the uid.
json body_for(const json& setup) {
  return {{"metadata", {{"uid", text_at(setup, {"metadata", "uid"})}}}};
}

// True: done. False: it is gone, or another has its name.
Result<bool> is_done(const Result<json>& written) {
  if (written) return true;
  const ErrorKind why = written.error().kind;
  if (why == ErrorKind::NotFound || why == ErrorKind::Conflict) return false;
  return std::unexpected(written.error());
}

}  // namespace

Result<void> SetupWriter::write(const Setups& setups, const Counts& counts) const {
  const std::string time = rfc3339(clock_.wall());
  for (const InvalidSetup& setup : setups.invalid) {
    const auto done = write_status(*setup.object, status_invalid(setup, time));
    if (!done) return std::unexpected(done.error());
  }
  if (!setups.in_force) return {};
  json by = *setups.in_force;  // each that is replaced adds to its annotation
  const auto says_so = write_status(by, status_in_force(by, counts, time));
  if (!says_so) return std::unexpected(says_so.error());
  for (const Snapshot& old : setups.older) {
    const auto done = write_status(*old, status_superseded(*old, api::name_of(by), time));
    if (!done) return std::unexpected(done.error());
    if (!*says_so || is_kept(*old)) continue;
    if (auto replaced = replace(by, *old); !replaced) return replaced;
  }
  return {};
}

Result<bool> SetupWriter::write_status(const json& setup, const json& status) const {
  const json& stored = at_path(setup, {"status"});
  if (stored == status) return true;
  json body = body_for(setup);
  body["status"] = kube::replacing_patch(stored, status);
  return is_done(client_.patch(kube::kFluxSetups, "", api::name_of(setup), kube::PatchType::Merge,
                               body, "status"));
}

// Writes the annotation with the specs of those that it has replaced.
Result<bool> SetupWriter::keep_spec(const json& by) const {
  json body = body_for(by);
  body["metadata"]["annotations"][api::kReplacedAnnotation] =
      annotation(by, api::kReplacedAnnotation);
  return is_done(
      client_.patch(kube::kFluxSetups, "", api::name_of(by), kube::PatchType::Merge, body));
}

// The new one keeps the spec of the old one, before the old one goes.
Result<void> SetupWriter::replace(json& by, const json& old) const {
  const std::string name = api::name_of(by), old_name = api::name_of(old);
  by["metadata"]["annotations"][std::string(api::kReplacedAnnotation)] =
      replaced_annotation(by, old);
  const auto kept = keep_spec(by);
  if (!kept) return std::unexpected(kept.error());
  if (!*kept) return {};
  const auto gone =
      client_.remove(kube::kFluxSetups, "", old_name, text_at(old, {"metadata", "uid"}));
  if (!gone && gone.error().kind != ErrorKind::NotFound &&
      gone.error().kind != ErrorKind::Conflict) {
    return std::unexpected(gone.error());
  }
  log::info("FluxSetup replaced", {{"name", old_name}, {"by", name}});
  const std::string message = "It replaces the FluxSetup " + old_name +
                              ", which was deleted; the annotation " +
                              std::string(api::kReplacedAnnotation) + " has its spec.";
  const auto event = kube::send_event(
      client_,
      kube::make_event(by, kube::EventType::Normal, "Replaced", message, reporter_, clock_.wall()));
  if (!event) {
    log::warning("Event was not sent", {{"fluxsetup", name}, {"error", event.error().message}});
  }
  return {};
}

}  // namespace mc::controller::admission
