#include "tests/integration/webhook_objects.h"

namespace mc::test {
namespace {

json configuration(const AskedWebhook& webhook, const std::string& kind, const std::string& verb,
                   int port) {
  const json service = {
      {"name", webhook.service}, {"namespace", webhook.ns}, {"path", "/" + verb}, {"port", port}};
  const json rule = {{"apiGroups", {"flux-framework.org"}},
                     {"apiVersions", {"v1alpha2"}},
                     {"operations", {"CREATE", "UPDATE"}},
                     {"resources", {"miniclusters"}}};
  const json users = {{"kubernetes.io/metadata.name", webhook.users}};
  return {{"apiVersion", "admissionregistration.k8s.io/v1"},
          {"kind", kind},
          {"metadata", {{"name", webhook.configurations}}},
          {"webhooks",
           {{{"name", verb + ".flux-framework.org"},
             {"admissionReviewVersions", {"v1"}},
             {"clientConfig", {{"service", service}}},
             {"namespaceSelector", {{"matchLabels", users}}},
             {"sideEffects", "None"},
             {"timeoutSeconds", 5},
             {"rules", {rule}}}}}};
}

}  // namespace

std::vector<json> webhook_objects(const AskedWebhook& webhook) {
  return {
      {{"apiVersion", "v1"},
       {"kind", "Service"},
       {"metadata", {{"name", webhook.service}}},
       {"spec", {{"type", "ExternalName"}, {"externalName", "localhost"}}}},
      configuration(webhook, "MutatingWebhookConfiguration", "mutate", webhook.mutate_port),
      configuration(webhook, "ValidatingWebhookConfiguration", "validate", webhook.validate_port)};
}

}  // namespace mc::test
