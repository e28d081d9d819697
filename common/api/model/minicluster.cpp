#include "common/api/model/minicluster.h"

#include <algorithm>

#include "common/api/model/reader.h"

namespace mc::api {
namespace {

Volume read_volume(const Reader& in) {
  Volume out;
  out.path = in.text("path");
  out.read_only = in.flag("readOnly");
  out.claim_name = in.text("claimName");
  out.config_map_name = in.text("configMapName");
  out.items = in.strings("items");
  out.csi_driver = in.text("csiDriver");
  out.csi_driver_attributes = in.strings("csiDriverAttributes");
  out.empty_dir = in.flag("emptyDir");
  out.empty_dir_medium = in.text("emptyDirMedium");
  out.empty_dir_size_limit = in.text("emptyDirSizeLimit");
  out.host_path = in.text("hostPath");
  out.secret_name = in.text("secretName");
  return out;
}

SecretRef read_secret(const Reader& in) { return {in.text("name"), in.text("key")}; }

Commands read_commands(const Reader& in) {
  Commands out;
  out.init = in.lines("init");
  out.pre = in.lines("pre");
  out.broker_pre = in.lines("brokerPre");
  out.worker_pre = in.lines("workerPre");
  out.post = in.lines("post");
  out.prefix = in.lines("prefix");
  out.script = in.lines("script");
  out.service_pre = in.lines("servicePre");
  return out;
}

Container read_container(const Reader& in) {
  Container out;
  out.name = in.text("name");
  out.image = in.text("image");
  out.image_pull_policy = in.text("imagePullPolicy");
  out.image_pull_secret = in.text("imagePullSecret");
  out.pull_always = in.flag("pullAlways");
  out.run_flux = in.flag("runFlux");
  out.command = in.lines("command");
  out.batch = in.flag("batch");
  out.batch_raw = in.flag("batchRaw");
  out.launcher = in.flag("launcher");
  out.takes_input = in.flag("stdin");
  out.no_wrap_entrypoint = in.flag("noWrapEntrypoint");
  out.logs = in.text("logs");
  out.working_dir = in.text("workingDir");
  out.commands = read_commands(in.child("commands"));
  const Reader life_cycle = in.child("lifeCycle");
  out.life_cycle = {life_cycle.text("postStartExec"), life_cycle.text("preStopExec")};
  out.environment = in.strings("environment");
  out.secrets = in.map("secrets", read_secret);
  out.volumes = in.map("volumes", read_volume);
  out.ports = in.integers("ports");
  out.resources = in.embedded("resources");
  out.security_context = in.embedded("securityContext");
  return out;
}

FluxContainer read_flux_container(const Reader& in) {
  FluxContainer out;
  out.name = in.text("name", out.name);
  out.image = in.text("image");
  out.image_pull_secret = in.text("imagePullSecret");
  out.pull_always = in.flag("pullAlways");
  out.disable = in.flag("disable");
  out.mount_path = in.text("mountPath", out.mount_path);
  out.python_path = in.text("pythonPath");
  out.working_dir = in.text("workingDir");
  out.resources = in.embedded("resources");
  out.security_context = in.embedded("securityContext");
  return out;
}

BurstedCluster read_bursted_cluster(const Reader& in) {
  return {in.text("name"), in.integer("size").value_or(0)};
}

LeadBroker read_lead_broker(const Reader& in) {
  LeadBroker out;
  out.name = in.text("name");
  out.address = in.text("address");
  out.port = in.integer("port").value_or(0);
  if (out.port == 0) out.port = 8050;
  out.size = in.integer("size").value_or(0);
  return out;
}

Bursting read_bursting(const Reader& in) {
  Bursting out;
  const LeadBroker lead = read_lead_broker(in.child("leadBroker"));
  // Generated clients send the whole struct with zero values: a lead broker counts only if one is
  // set.
  if (!lead.name.empty() || !lead.address.empty() || lead.size != 0) out.lead_broker = lead;
  out.clusters = in.list("clusters", read_bursted_cluster);
  out.hostlist = in.text("hostlist");
  return out;
}

Flux read_flux(const Reader& in) {
  Flux out;
  out.container = read_flux_container(in.child("container"));
  out.arch = in.text("arch");
  out.broker_config = in.lines("brokerConfig");
  out.bursting = read_bursting(in.child("bursting"));
  out.complete_workers = in.flag("completeWorkers");
  out.connect_timeout = in.text("connectTimeout", out.connect_timeout);
  out.cores_from = in.text("coresFrom", out.cores_from);
  out.curve_cert = in.lines("curveCert");
  out.curve_cert_secret = in.text("curveCertSecret");
  out.disable_socket = in.flag("disableSocket");
  out.environment = in.strings("environment");
  out.log_level = in.integer("logLevel").value_or(out.log_level);
  out.minimal_service = in.flag("minimalService");
  out.munge_secret = in.text("mungeSecret");
  out.no_wait_socket = in.flag("noWaitSocket");
  out.option_flags = in.lines("optionFlags");
  const Reader scheduler = in.child("scheduler");
  out.scheduler.queue_policy = scheduler.text("queuePolicy", out.scheduler.queue_policy);
  out.scheduler.simple = scheduler.flag("simple");
  out.submit_command = in.lines("submitCommand");
  out.topology = in.text("topology");
  out.wrap = in.text("wrap");
  return out;
}

Logging read_logging(const Reader& in) {
  return {in.flag("debug"), in.flag("quiet"),  in.flag("strict"),
          in.flag("timed"), in.flag("zeromq"), in.flag("labelStderr")};
}

Pod read_pod(const Reader& in) {
  Pod out;
  out.annotations = in.strings("annotations");
  out.labels = in.strings("labels");
  out.node_selector = in.strings("nodeSelector");
  out.automount_service_account_token = in.optional_flag("automountServiceAccountToken");
  out.dns_policy = in.text("dnsPolicy");
  out.host_ipc = in.flag("hostIPC");
  out.host_pid = in.flag("hostPID");
  out.restart_policy = in.text("restartPolicy");
  out.runtime_class_name = in.text("runtimeClassName");
  out.scheduler_name = in.text("schedulerName");
  out.service_account_name = in.text("serviceAccountName");
  out.node_affinity = in.embedded("nodeAffinity");
  out.resources = in.embedded("resources");
  out.security_context = in.embedded("securityContext");
  const Reader memory = in.child("sharedMemory");
  out.shared_memory = {memory.flag("disable"), memory.text("size")};
  out.template_patch = in.embedded("template");
  out.tolerations = in.embedded("tolerations");
  return out;
}

std::optional<Preemptible> read_preemptible(const Reader& in) {
  Preemptible out;
  const Reader checkpoint = in.child("checkpoint");
  const Checkpoint given{checkpoint.text("signal"), checkpoint.integer("seconds").value_or(0)};
  if (checkpoint.is_there()) out.checkpoint = given;
  out.max_preemptions = in.integer("maxPreemptions").value_or(out.max_preemptions);
  return in.is_there() ? std::optional(std::move(out)) : std::nullopt;
}

Spec read_spec(const Reader& in) {
  Spec out;
  out.size = in.integer("size").value_or(out.size);
  out.min_size = in.integer("minSize").value_or(0);
  out.max_size = in.integer("maxSize").value_or(0);
  out.tasks = in.integer("tasks").value_or(out.tasks);
  out.deadline_seconds = in.integer("deadlineSeconds").value_or(out.deadline_seconds);
  out.drain_seconds = in.integer("drainSeconds").value_or(0);
  out.linger_seconds = in.integer("lingerSeconds").value_or(0);
  out.metrics_port = in.integer("metricsPort");
  out.backoff_limit = in.integer("backoffLimit");
  out.cleanup = in.flag("cleanup");
  out.interactive = in.flag("interactive");
  out.share_process_namespace = in.flag("shareProcessNamespace");
  out.archive_path = in.child("archive").text("path");
  out.job_labels = in.strings("jobLabels");
  out.job_annotations = in.strings("jobAnnotations");
  out.managed_by = in.text("managedBy");
  out.priority_class_name = in.text("priorityClassName");
  out.preemptible = read_preemptible(in.child("preemptible"));
  out.restart_strategy = in.text("restartStrategy");
  out.suspend = in.flag("suspend");
  if (const auto ttl = in.integer("ttlSecondsAfterFinished")) {
    out.ttl_seconds_after_finished = std::chrono::seconds(*ttl);
  }
  out.containers = in.list("containers", read_container);
  out.services = in.list("services", read_container);
  out.flux = read_flux(in.child("flux"));
  const Reader gang = in.child("gang");
  out.gang = {gang.optional_flag("enabled"), gang.text("kind")};
  out.logging = read_logging(in.child("logging"));
  const Reader network = in.child("network");
  out.network = {network.flag("disableAffinity"), network.text("headlessName"),
                 network.flag("useExistingService")};
  out.pod = read_pod(in.child("pod"));
  out.pod_disruption_budget = in.child("podDisruptionBudget").flag("enabled");
  const Reader topology = in.child("topology");
  out.topology = {topology.text("required"), topology.text("preferred")};
  return out;
}

// A field of the pods' spec: the template's, or else `own`.
std::string unless_patched(const Pod& pod, const char* field, const std::string& own) {
  std::string patched = text_at(pod.template_patch, {"spec", field});
  return patched.empty() ? own : patched;
}

}  // namespace

bool Container::has_steps() const {
  for (const std::string* text : {&command, &commands.script, &commands.init, &commands.pre,
                                  &commands.service_pre, &commands.post}) {
    if (!text->empty()) return true;
  }
  return false;
}

const Container* MiniCluster::runner() const {
  const auto runs = [](const Container& container) { return container.run_flux; };
  if (std::ranges::count_if(spec.containers, runs) != 1) return nullptr;
  return &*std::ranges::find_if(spec.containers, runs);
}

Checkpoint checkpoint_of(const Spec& spec) {
  if (!spec.preemptible || !spec.preemptible->checkpoint) return {};
  Checkpoint out = *spec.preemptible->checkpoint;
  if (out.signal.empty()) out.signal = kDefaultCheckpointSignal;
  return out;
}

bool only_the_lead_is_reachable(const Flux& flux) {
  const Bursting& bursting = flux.bursting;
  return flux.minimal_service || bursting.lead_broker || !bursting.clusters.empty() ||
         !bursting.hostlist.empty();
}

bool restarts_containers(const Pod& pod) {
  return unless_patched(pod, "restartPolicy", pod.restart_policy) == "OnFailure";
}

std::string scheduler_name(const Pod& pod) {
  return unless_patched(pod, "schedulerName", pod.scheduler_name);
}

GangKind wanted_gang_kind(const Spec& spec) {
  if (!spec.gang.kind.empty()) return gang_kind(spec.gang.kind);
  const GangKind known = kind_of_scheduler(scheduler_name(spec.pod));
  return known == GangKind::None && spec.gang.enabled == true ? GangKind::Native : known;
}

MiniCluster parse(const json& object) {
  const Reader root(&object);
  const Reader metadata = root.child("metadata");
  MiniCluster out;
  out.name = metadata.text("name");
  out.generate_name = metadata.text("generateName");
  out.namespace_ = metadata.text("namespace");
  out.uid = metadata.text("uid");
  out.generation = metadata.integer("generation").value_or(0);
  out.labels = metadata.strings("labels");
  out.annotations = metadata.strings("annotations");
  out.spec = read_spec(root.child("spec"));
  return out;
}

std::set<std::string> parsed_paths() {
  std::set<std::string> seen;
  read_spec(Reader(nullptr, "spec", &seen));
  return seen;
}

}  // namespace mc::api
