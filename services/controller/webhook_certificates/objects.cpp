#include "services/controller/webhook_certificates/objects.h"

#include <map>
#include <utility>

#include "common/base/base64.h"
#include "common/base/json.h"
#include "common/base/rfc3339.h"
#include "common/kube/object.h"

namespace mc::controller {
namespace {

using Data = std::map<std::string, std::string>;

std::string decoded(const json& object, const char* name) {
  return base64_decoded(text_at(object, {name})).value_or("");
}

std::string retired_text(const std::vector<certs::Retired>& all) {
  json list = json::array();
  for (const certs::Retired& one : all) {
    list.push_back({{"certificate", one.certificate}, {"until", rfc3339(one.until)}});
  }
  return list.dump();
}

std::vector<certs::Retired> retired_of(const std::string& text) {
  std::vector<certs::Retired> all;
  const json list = json::parse(text, nullptr, false);
  for (const json& entry : items_at(list, {})) {
    const auto until = parse_rfc3339(text_at(entry, {"until"}));
    if (until) all.push_back({text_at(entry, {"certificate"}), *until});
  }
  return all;
}

std::optional<json> secret_of(const Data& data, const json& now, const std::string& ns,
                              const std::string& name, const char* type) {
  json secret = now.is_object() ? now : json{{"apiVersion", "v1"}, {"kind", "Secret"}};
  if (!now.is_object()) {
    secret["type"] = type;
    secret["metadata"] = {{"name", name},
                          {"namespace", ns},
                          {"labels", {{"app.kubernetes.io/managed-by", "minicluster-operator"}}}};
  }
  json& values = object_in(secret, "data");
  const json before = values;
  for (const auto& [key, value] : data) values[key] = base64(value);
  if (now.is_object() && values == before) return std::nullopt;
  return secret;
}

}  // namespace

certs::RotationPolicy rotation_policy(const WebhookCertificateOptions& options) {
  return {
      .dns_name = options.service + "." + options.ns + ".svc",
      .authority_lifetime = std::chrono::floor<std::chrono::seconds>(options.authority_lifetime),
      .leaf_lifetime = std::chrono::floor<std::chrono::seconds>(options.leaf_lifetime),
      .mount_delay = std::chrono::floor<std::chrono::seconds>(options.mount_delay)};
}

std::string authority_secret_name(const std::string& leaf_secret_name) {
  return leaf_secret_name + "-ca";
}

certs::StoredCertificates kept_of(const json& leaf_secret, const json& authority_secret) {
  const json& leaf = at_path(leaf_secret, {"data"});
  const json& authority = at_path(authority_secret, {"data"});
  return {.leaf = {decoded(leaf, "tls.crt"), decoded(leaf, "tls.key")},
          .bundle = decoded(leaf, "ca.crt"),
          .authority = {decoded(authority, "ca.crt"), decoded(authority, "ca.key")},
          .retired = retired_of(decoded(authority, "retired.json"))};
}

std::optional<json> leaf_secret_of(const certs::StoredCertificates& kept, const json& now,
                                   const std::string& ns, const std::string& name) {
  // No empty Secret: a kubelet would mount it and update it only a minute later.
  if (kept.leaf.certificate.empty()) return std::nullopt;
  return secret_of(
      {{"tls.crt", kept.leaf.certificate}, {"tls.key", kept.leaf.key}, {"ca.crt", kept.bundle}},
      now, ns, name, "kubernetes.io/tls");
}

std::optional<json> authority_secret_of(const certs::StoredCertificates& kept, const json& now,
                                        const std::string& ns, const std::string& name) {
  return secret_of({{"ca.crt", kept.authority.certificate},
                    {"ca.key", kept.authority.key},
                    {"retired.json", retired_text(kept.retired)}},
                   now, ns, name, "Opaque");
}

std::vector<std::string> bundles_of(const json& configuration) {
  std::vector<std::string> bundles;
  for (const json& webhook : at_path(configuration, {"webhooks"})) {
    bundles.push_back(decoded(at_path(webhook, {"clientConfig"}), "caBundle"));
  }
  return bundles;
}

std::optional<json> bundle_patch(const json& configuration, const std::string& bundle) {
  const std::vector<std::string> now = bundles_of(configuration);
  json patch = json::array({{{"op", "replace"},
                             {"path", "/metadata/resourceVersion"},
                             {"value", kube::metadata_text(configuration, "resourceVersion")}}});
  for (std::size_t i = 0; i < now.size(); ++i) {
    if (now[i] == bundle) continue;
    patch.push_back({{"op", "add"},
                     {"path", "/webhooks/" + std::to_string(i) + "/clientConfig/caBundle"},
                     {"value", base64(bundle)}});
  }
  return patch.size() > 1 ? std::optional(std::move(patch)) : std::nullopt;
}

}  // namespace mc::controller
