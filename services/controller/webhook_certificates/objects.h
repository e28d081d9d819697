#pragma once
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "certs/rotation.h"
#include "common/base/json.h"

// The webhook's certificates as Kubernetes objects keep them. Pure; an object may be null (there is
// none) and hold anything.
namespace mc::controller {

// The certificates of the webhook that are ours to keep.
struct WebhookCertificateOptions {
  std::string secret;         // that the webhook mounts; its authority is in SECRET-ca
  std::string service;        // of the webhook
  std::string ns;             // of all three
  std::string configuration;  // the mutating and the validating one have this name
  std::chrono::milliseconds authority_lifetime = std::chrono::days(365);
  std::chrono::milliseconds leaf_lifetime = std::chrono::days(90);
  std::chrono::milliseconds mount_delay = std::chrono::minutes(2);  // see certs::RotationPolicy
};

// The webhook is called by its Service's name within the cluster.
certs::RotationPolicy rotation_policy(const WebhookCertificateOptions& options);

// The name of the Secret with the authority and its key, which nobody mounts.
std::string authority_secret_name(const std::string& leaf_secret_name);

// From the Secret that the webhook mounts (tls.crt, tls.key, ca.crt) and the authority's (ca.crt,
// ca.key, retired.json).
certs::Kept kept_of(const json& leaf_secret, const json& authority_secret);

// Each Secret as it should be: that of now with our keys of `data` changed, or a new one. Nothing
// if it is so already.
std::optional<json> leaf_secret_of(const certs::Kept& kept, const json& now, const std::string& ns,
                                   const std::string& name);
std::optional<json> authority_secret_of(const certs::Kept& kept, const json& now,
                                        const std::string& ns, const std::string& name);

// caBundle of each webhook of a configuration, as PEM; "" where it is not set or cannot be read.
std::vector<std::string> bundles_of(const json& configuration);

// The JSON patch that gives every webhook this bundle, refused with a conflict unless the
// configuration is still the one given. Nothing if it is so already.
std::optional<json> bundle_patch(const json& configuration, const std::string& bundle);

}  // namespace mc::controller
