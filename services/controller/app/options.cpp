#include "services/controller/app/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <set>
#include <sstream>
#include <utility>

#include "certs/rotation.h"
#include "common/api/examine.h"
#include "common/api/validation/text_rules.h"
#include "common/api/validation/validate.h"
#include "common/base/arguments.h"
#include "common/base/version.h"
#include "common/commands/flags.h"
#include "common/http/bind_address.h"

namespace mc::controller {
namespace {

constexpr DurationRange kTime{std::chrono::milliseconds(1), std::chrono::hours(1)};
constexpr DurationRange kLife{std::chrono::milliseconds(1), std::chrono::days(100 * 365)};

void add_render(CLI::App& app, commands::RenderOptions& options) {
  CLI::App* render = app.add_subcommand(
      "render",
      "Print the objects of the MiniClusters in files as YAML, without a cluster.\n"
      "Exit code: 0 if all were rendered, 1 if one was refused, 2 if a file cannot be read.");
  commands::add_render_flags(*render, options);
}

// The names between the commas of all lists, sorted and unique. "" has none, as a template may give
// it.
std::vector<std::string> split(const std::vector<std::string>& lists) {
  std::set<std::string> names;
  for (const std::string& list : lists) {
    std::istringstream parts(list + ",");
    for (std::string name; !list.empty() && std::getline(parts, name, ',');) names.insert(name);
  }
  return {names.begin(), names.end()};
}

void add_flags(CLI::App& app, Options& options) {
  app.set_version_flag("--version", "minicluster-controller " + version());
  app.add_option("--kubeconfig", options.kubeconfig,
                 "File with the address and the credentials of the API server. Default:\n"
                 "$KUBECONFIG, else the pod's service account, else ~/.kube/config")
      ->type_name("FILE");
  app.add_option("--namespaces", options.controller.namespaces,
                 "Namespaces to watch, separated by commas. FluxSetups then have no effect.\n"
                 "Default: all namespaces")
      ->allow_extra_args(false)
      ->type_name("NAMESPACE,...");
  app.add_option("--gpu-resources", options.controller.gpu_resources,
                 "Resources that Flux schedules as GPUs, separated by commas, in addition to\n"
                 "nvidia.com/gpu and amd.com/gpu")
      ->allow_extra_args(false)
      ->type_name("RESOURCE,...");
  app.add_option_function<std::string>(
         "--pod-index-labels",
         [&labels = options.controller.index_labels](const std::string& pods) {
           labels = pods == "all" ? IndexLabels::All : IndexLabels::Lead;
         },
         "Pods that get the label job-index, by which Services select the pod of an\n"
         "index: lead (only that of the lead), or all, which costs a write for each pod")
      ->check(CLI::IsMember({"lead", "all"}).description(""))
      ->default_str("lead")
      ->type_name("lead|all");
  app.add_flag("--kueue", options.controller.kueue,
               "If Kueue is installed, watch its Workloads and report why a MiniCluster\n"
               "is queued");
  app.add_option_function<std::string>(
         "--gang",
         [&gang = options.controller.gang](const std::string& mode) { gang = mode == "auto"; },
         "Gang scheduling of MiniClusters whose spec.gang does not say: off, or auto (with\n"
         "a kind of --gang-kinds, where the cluster has one)")
      ->check(CLI::IsMember({"off", "auto"}).description(""))
      ->default_str("off")
      ->type_name("off|auto");
  app.add_option_function<std::string>(
         "--gang-kinds",
         [&kinds = options.controller.gang_kinds](const std::string& names) {
           kinds.clear();
           for (const std::string& name : split({names})) kinds.push_back(api::gang_kind(name));
         },
         "Whose PodGroups may be written for gang scheduling: Native (Kubernetes' own),\n"
         "Coscheduling and Volcano, with commas. Default: none")
      ->type_name("KIND,...");
  app.add_flag("--accounts", options.controller.accounts,
               "Record what each MiniCluster used, once it has ended, in a ConfigMap of its\n"
               "namespace")
      ->default_str("true");
  app.add_option("--workers", options.controller.workers,
                 "Number of MiniClusters that are reconciled at the same time")
      ->capture_default_str()
      ->check(CLI::Range(1, 256).description(""))
      ->type_name("N");
  add_verbosity(app, options.verbosity, "Log level: 2 adds each write, 4 each reconcile");
}

std::string usage_error_of_gpus(const std::vector<std::string>& resources) {
  for (const std::string& name : resources) {
    if (!api::is_extended(name) || api::not_qualified_name(name)) {
      return "--gpu-resources: \"" + name +
             "\" is not the name of a device, such as example.com/gpu";
    }
  }
  return "";
}

std::string usage_error_of_kinds(const std::vector<api::GangKind>& kinds) {
  if (std::ranges::find(kinds, api::GangKind::None) == kinds.end()) return "";
  return "--gang-kinds: supported values are Native, Coscheduling and Volcano, separated by commas";
}

// What is wrong with the first invalid name; "" if all are valid.
std::string usage_error(const std::vector<std::string>& namespaces) {
  for (const std::string& name : namespaces) {
    if (const auto why = api::not_dns1123_label(name)) {
      return "--namespaces: \"" + name + "\": " + *why;
    }
  }
  return "";
}

struct LeaderElectionFlags {
  bool enabled = false;
  LeaderElectionOptions options;
};

void add_leader_election(CLI::App& app, LeaderElectionFlags& flags) {
  app.add_flag("--leader-elect", flags.enabled,
               "Elect a leader among the replicas by a Lease; only the leader writes");
  LeaderElectionOptions& options = flags.options;
  app.add_option("--leader-election-namespace", options.ns,
                 "Namespace of the Lease. Default: the namespace of the pod")
      ->type_name("NAMESPACE");
  app.add_option("--leader-election-id", options.id, "Name of the Lease")
      ->capture_default_str()
      ->type_name("NAME");
  add_duration(app, "--leader-election-lease-duration", options.times.lease_duration,
               "Time after the last renewal until another replica may take over the Lease", kTime);
  add_duration(app, "--leader-election-renew-deadline", options.times.renew_deadline,
               "Time after the last renewal until the leader gives up", kTime);
  add_duration(app, "--leader-election-retry-period", options.times.retry_period,
               "Time between two tries to acquire or renew the Lease", kTime);
}

std::string usage_error(const LeaderElectionOptions& options) {
  const kube::LeaseTimes& times = options.times;
  if (options.id.empty()) return "--leader-election-id: must not be empty";
  if (times.lease_duration <= times.renew_deadline) {
    return "--leader-election-lease-duration: must be longer than --leader-election-renew-deadline";
  }
  if (times.renew_deadline <= times.retry_period) {
    return "--leader-election-renew-deadline: must be longer than --leader-election-retry-period";
  }
  return "";
}

void add_metrics(CLI::App& app, Options& options) {
  http::add_bind_address(app, "--metrics-bind-address", options.metrics.address,
                         "Address of /metrics; 0 turns it off");
  app.add_flag("--metrics-secure", options.metrics.secure,
               "Serve /metrics over HTTPS, to clients that are authorized to get that path.\n"
               "If false: over HTTP, to every client")
      ->default_str("true");
  app.add_option("--metrics-cert-path", options.metrics.cert_path,
                 "Folder with tls.crt and tls.key for /metrics; they are read again when\n"
                 "they change. Default: a new self-signed certificate")
      ->type_name("DIR");
  http::add_bind_address(app, "--health-probe-bind-address", options.probe_address,
                         "Address of /healthz and /readyz, over HTTP; 0 turns them off");
}

void add_webhook(CLI::App& app, WebhookCertificateOptions& options) {
  app.add_option("--webhook-certificate-secret", options.secret,
                 "Secret in which to issue and renew the certificate of the webhook. Its CA is\n"
                 "in the Secret NAME-ca. Also sets caBundle in the webhook configurations")
      ->type_name("NAME");
  app.add_option("--webhook-service", options.service, "Name of the Service of the webhook")
      ->type_name("NAME");
  app.add_option("--webhook-namespace", options.ns,
                 "Namespace of the Service of the webhook, and of both Secrets")
      ->type_name("NAMESPACE");
  app.add_option("--webhook-configuration", options.configuration,
                 "Name of the mutating and of the validating webhook configuration")
      ->type_name("NAME");
  add_duration(app, "--webhook-ca-lifetime", options.authority_lifetime,
               "Lifetime of the CA; at least three times that of the certificate", kLife);
  add_duration(app, "--webhook-leaf-lifetime", options.leaf_lifetime,
               "Lifetime of the certificate; at least twice the mount delay", kLife);
  add_duration(app, "--webhook-mount-delay", options.mount_delay,
               "Longest time that a kubelet takes to update a mounted Secret", kLife);
}

std::string usage_error(const WebhookCertificateOptions& options) {
  for (const auto& [flag, name] : {std::pair("--webhook-certificate-secret", &options.secret),
                                   std::pair("--webhook-configuration", &options.configuration)}) {
    if (const auto why = api::not_dns1123_subdomain(*name)) return flag + (": " + *why);
  }
  for (const auto& [flag, name] : {std::pair("--webhook-service", &options.service),
                                   std::pair("--webhook-namespace", &options.ns)}) {
    if (const auto why = api::not_dns1123_label(*name)) return flag + (": " + *why);
  }
  const std::string why = certs::validate(rotation_policy(options));
  if (why.empty()) return "";
  return "--webhook-ca-lifetime, --webhook-leaf-lifetime and --webhook-mount-delay: " + why;
}

}  // namespace

std::expected<Options, Exit> parse_options(int argc, const char* const* argv) {
  Options options;
  commands::RenderOptions render;
  LeaderElectionFlags election;
  WebhookCertificateOptions webhook;
  CLI::App app(
      "Controller of the MiniCluster Operator: creates the Jobs, Services, ConfigMaps\n"
      "and Secrets of MiniClusters. Runs until SIGTERM.",
      "minicluster-controller");
  // The last value of a flag wins, so that flags can be appended to the arguments of a manifest.
  app.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  add_flags(app, options);
  add_metrics(app, options);
  add_leader_election(app, election);
  add_webhook(app, webhook);
  add_render(app, render);
  if (auto exit = parse(app, argc, argv)) return std::unexpected(*std::move(exit));
  std::vector<std::string>& namespaces = options.controller.namespaces;
  namespaces = split(namespaces);
  options.controller.gpu_resources = split(options.controller.gpu_resources);
  const std::vector<api::GangKind>& kinds = options.controller.gang_kinds;
  const bool has_no_kind = options.controller.gang && kinds.empty();
  for (const std::string& why :
       {std::string(has_no_kind ? "--gang: auto needs --gang-kinds" : ""),
        usage_error_of_kinds(kinds), usage_error(namespaces),
        usage_error_of_gpus(options.controller.gpu_resources), usage_error(election.options),
        webhook.secret.empty() ? std::string() : usage_error(webhook)}) {
    if (!why.empty()) return std::unexpected(mc::usage_error(app.get_name(), why));
  }
  if (election.enabled) options.leader_election = std::move(election.options);
  if (!webhook.secret.empty()) options.webhook_certificates = std::move(webhook);
  if (app.got_subcommand("render")) options.render = std::move(render);
  return options;
}

}  // namespace mc::controller
