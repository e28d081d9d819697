#pragma once
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "certs/rotation.h"
#include "common/base/json.h"

// The webhook's certificates as stored in Kubernetes objects. Pure. An object may be null (there is
// none) and may contain anything.
namespace mc::controller {

// Where the certificates of the webhook are stored, and how long they live.
struct WebhookCertificateOptions {
  std::string secret;         // the webhook mounts it; its CA is in SECRET-ca
  std::string service;        // of the webhook
  std::string ns;             // of the Service and both Secrets
  std::string configuration;  // name of the mutating and of the validating one
  std::chrono::milliseconds authority_lifetime = std::chrono::days(365);
  std::chrono::milliseconds leaf_lifetime = std::chrono::days(90);
  std::chrono::milliseconds mount_delay = std::chrono::minutes(2);  // see certs::RotationPolicy
};

// The certificate is for the DNS name of the webhook's Service in the cluster.
certs::RotationPolicy rotation_policy(const WebhookCertificateOptions& options);

// The name of the Secret with the CA and its key, which no pod mounts.
std::string authority_secret_name(const std::string& leaf_secret_name);

// From the Secret that the webhook mounts (tls.crt, tls.key, ca.crt) and that of the CA (ca.crt,
// ca.key, retired.json).
certs::StoredCertificates kept_of(const json& leaf_secret, const json& authority_secret);

// Each Secret as it should be: the current one with our keys of `data` changed, or a new one.
// Nothing if it is up to date.
std::optional<json> leaf_secret_of(const certs::StoredCertificates& kept, const json& now,
                                   const std::string& ns, const std::string& name);
std::optional<json> authority_secret_of(const certs::StoredCertificates& kept, const json& now,
                                        const std::string& ns, const std::string& name);

// caBundle of each webhook of a configuration, as PEM; "" if it is not set or cannot be read.
std::vector<std::string> bundles_of(const json& configuration);

// The JSON patch that gives every webhook this bundle; the API server refuses it with a conflict if
// the configuration has changed. Nothing if it is up to date.
std::optional<json> bundle_patch(const json& configuration, const std::string& bundle);

}  // namespace mc::controller
