#include <CLI/CLI.hpp>
#include <utility>

#include "certs/rotation.h"
#include "common/api/validation/text_rules.h"
#include "common/base/duration_flag.h"
#include "services/controller/app/flags.h"
#include "services/controller/webhook_certificates/objects.h"

namespace mc::controller {
namespace {

constexpr DurationRange kLife{std::chrono::milliseconds(1), std::chrono::days(100 * 365)};

}  // namespace

void add_webhook(CLI::App& app, WebhookCertificateOptions& options) {
  app.add_option("--webhook-certificate-secret", options.secret,
                 "Keep the webhook's certificate in this Secret, its authority in\n"
                 "NAME-ca, and the caBundle of both webhook configurations")
      ->type_name("NAME");
  app.add_option("--webhook-service", options.service, "The webhook's Service")->type_name("NAME");
  app.add_option("--webhook-namespace", options.ns, "Of that Service and both Secrets")
      ->type_name("NAMESPACE");
  app.add_option("--webhook-configuration", options.configuration,
                 "The mutating and the validating webhook configuration")
      ->type_name("NAME");
  add_duration(app, "--webhook-ca-lifetime", options.authority_lifetime,
               "Of an authority: at least three times that of a certificate", kLife);
  add_duration(app, "--webhook-leaf-lifetime", options.leaf_lifetime,
               "Of a certificate: at least twice the mount delay", kLife);
  add_duration(app, "--webhook-mount-delay", options.mount_delay,
               "How long a kubelet may take to show a changed Secret", kLife);
}

std::string mistake(const WebhookCertificateOptions& options) {
  for (const auto& [flag, name] : {std::pair("--webhook-certificate-secret", &options.secret),
                                   std::pair("--webhook-configuration", &options.configuration)}) {
    if (const auto why = api::not_dns1123_subdomain(*name)) return flag + (": " + *why);
  }
  for (const auto& [flag, name] : {std::pair("--webhook-service", &options.service),
                                   std::pair("--webhook-namespace", &options.ns)}) {
    if (const auto why = api::not_dns1123_label(*name)) return flag + (": " + *why);
  }
  const std::string why = certs::mistake_in(rotation_policy(options));
  return why.empty() ? "" : "--webhook-leaf-lifetime: " + why;
}

}  // namespace mc::controller
