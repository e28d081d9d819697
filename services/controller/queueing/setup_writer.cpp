#include "services/controller/queueing/setup_writer.h"

#include <string>

#include "common/api/model/names.h"
#include "common/base/json.h"
#include "common/base/rfc3339.h"
#include "common/kube/object.h"
#include "common/observe/log.h"

namespace mc::controller::queueing {
namespace {

// Each write tests the uid.
json body_for(const FluxSetup& setup) { return {{"metadata", {{"uid", setup.metadata.uid}}}}; }

kube::ObjectReference reference_to(const FluxSetup& setup) {
  return {.api_version = kube::api_version(kube::kFluxSetups),
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

Result<void> SetupWriter::write(const Setups& setups, const Counts& counts) const {
  const std::string time = rfc3339(clock_.wall());
  for (const Shared<FluxSetup>& setup : setups.invalid) {
    const auto done = write_status(*setup, status_invalid(*setup, time));
    if (!done) return std::unexpected(done.error());
  }
  if (!setups.in_force) return {};
  const FluxSetup& by = *setups.in_force;
  const auto says_so = write_status(by, status_in_force(by, counts, time));
  if (!says_so) return std::unexpected(says_so.error());
  std::string replaced = by.replaced;
  for (const Shared<FluxSetup>& old : setups.older) {
    const auto superseded = write_status(*old, status_superseded(*old, by.metadata.name, time));
    if (!superseded) return std::unexpected(superseded.error());
    if (!*says_so || old->is_kept) continue;
    replaced = replaced_annotation(replaced, *old);
    if (auto done = replace(by, *old, replaced); !done) return done;
  }
  return {};
}

Result<bool> SetupWriter::write_status(const FluxSetup& setup, const json& status) const {
  if (setup.status == Opaque(status)) return true;
  json body = body_for(setup);
  body["status"] = kube::replacing_patch(setup.status.tree(), status);
  return is_done(client_.patch(kube::kFluxSetups, "", setup.metadata.name, kube::PatchType::Merge,
                               body, "status"));
}

// Writes the annotation with the specs of those that it has replaced.
Result<bool> SetupWriter::keep_specs(const FluxSetup& by, const std::string& replaced) const {
  json body = body_for(by);
  body["metadata"]["annotations"][api::kReplacedAnnotation] = replaced;
  return is_done(
      client_.patch(kube::kFluxSetups, "", by.metadata.name, kube::PatchType::Merge, body));
}

// The new one keeps the spec of the old one, before the old one goes.
Result<void> SetupWriter::replace(const FluxSetup& by, const FluxSetup& old,
                                  const std::string& replaced) const {
  const auto kept = keep_specs(by, replaced);
  if (!kept) return std::unexpected(kept.error());
  if (!*kept) return {};
  const auto gone = client_.remove(kube::kFluxSetups, "", old.metadata.name, old.metadata.uid);
  if (!gone && gone.error().kind != ErrorKind::NotFound &&
      gone.error().kind != ErrorKind::Conflict) {
    return std::unexpected(gone.error());
  }
  tell(by, old.metadata.name);
  return {};
}

void SetupWriter::tell(const FluxSetup& by, const std::string& old_name) const {
  const std::string& name = by.metadata.name;
  log::info("FluxSetup replaced", {{"name", old_name}, {"by", name}});
  const std::string message = "It replaces the FluxSetup " + old_name +
                              ", which was deleted; the annotation " +
                              std::string(api::kReplacedAnnotation) + " has its spec.";
  const auto event =
      kube::send_event(client_, kube::make_event(reference_to(by), kube::EventType::Normal,
                                                 "Replaced", message, reporter_, clock_.wall()));
  if (!event) {
    log::warning("Event was not sent", {{"fluxsetup", name}, {"error", event.error().message}});
  }
}

}  // namespace mc::controller::queueing
