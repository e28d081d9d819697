#include "common/commands/render.h"

#include <algorithm>
#include <istream>
#include <ostream>
#include <string>

#include "common/api/manifest.h"
#include "common/api/model/names.h"
#include "common/base/text.h"
#include "common/base/yaml.h"
#include "common/commands/check.h"
#include "common/flux/curve.h"
#include "common/render/render.h"
#include "common/render/secret.h"

namespace mc::commands {
namespace {

constexpr const char* kPlaceholder =
    "# The controller makes a curve certificate here; --with-secrets shows one.\n";

std::string certificate_of(const api::MiniCluster& cluster, bool with_secrets) {
  if (!with_secrets || !render::makes_secret(cluster)) return kPlaceholder;
  if (!cluster.spec.flux.curve_cert.empty()) return cluster.spec.flux.curve_cert;
  return flux::curve_certificate(flux::generate_curve_keys(), cluster.name);
}

int render_document(const api::Document& document, const RenderOptions& options, std::ostream& out,
                    std::ostream& err) {
  if (!document.unreadable.empty()) {
    err << api::unreadable_line(document);
    return kCheckUnreadable;
  }
  api::Examination examination;
  if (api::is_api_kind(document.kind))
    examination = api::examine_document(document, options.fields);
  for (const std::string& warning : examination.warnings) {
    err << "Warning: " << one_line(warning) << "\n";
  }
  if (!examination.errors.empty()) {
    err << api::refusal(document.kind, document.name, examination.errors);
    return kCheckRefused;
  }
  if (document.kind != api::kKind) {
    err << api::skipped_line(document);
    return kCheckAccepted;
  }
  api::MiniCluster& cluster = examination.cluster;
  // As in a cluster that serves the newest version of that kind.
  if (cluster.spec.gang.enabled == true) {
    const api::GangKind kind = api::wanted_gang_kind(cluster.spec);
    cluster.pod_group = {kind, std::string(api::facts_of(kind).versions[0])};
  }
  for (const json& object :
       render::render(cluster, certificate_of(cluster, options.with_secrets))) {
    out << "---\n" << to_yaml(object);
  }
  return kCheckAccepted;
}

}  // namespace

int render(const RenderOptions& options, std::istream& in, std::ostream& out, std::ostream& err) {
  int worst = kCheckAccepted;
  api::read_manifests(options.files, in, [&](const api::Document& document) {
    worst = std::max(worst, render_document(document, options, out, err));
  });
  return worst;
}

}  // namespace mc::commands
