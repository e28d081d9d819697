#include "tests/pods/pod.h"

#include <signal.h>

#include <algorithm>
#include <fstream>
#include <utility>

#include "common/base/json.h"
#include "tests/pods/pod_command.h"
#include "tests/support/stage.h"

namespace mc::pods {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

bool is_sidecar(const json& init_container) {
  return init_container.value("restartPolicy", "") == "Always";
}

// A folder that no earlier pod of that name has used.
fs::path fresh_folder(const fs::path& parent, const std::string& name) {
  for (int i = 0;; ++i) {
    const fs::path out = parent / (name + "." + std::to_string(i));
    if (fs::create_directories(out)) return out;
  }
}

}  // namespace

Pod::Pod(const Machine& machine, std::string hostname, json spec,
         const std::map<std::string, std::string>& environment)
    : machine_(machine),
      hostname_(std::move(hostname)),
      spec_(std::move(spec)),
      environment_(environment),
      folder_(fresh_folder(machine.folder, hostname_)),
      volumes_(make_volumes(spec_, machine.sources, folder_ / "volumes")) {
  for (const json& container : at_path(spec_, {"initContainers"})) init_.push_back(container);
  step();
}

void Pod::step() {
  for (const auto& [name, container] : running_) container->code();  // reaps those that have ended
  if (phase_ == Phase::Init && !init_now_.empty()) {
    const std::optional<int> code = running_.at(init_now_)->code();
    if (!code) return;
    if (*code != 0 || terminated_) return end_sidecars();
    init_now_.clear();
  }
  while (phase_ == Phase::Init && init_now_.empty() && !init_.empty()) {
    const json container = std::move(init_.front());
    init_.pop_front();
    start(container);
    if (!is_sidecar(container)) init_now_ = container.at("name");
  }
  if (phase_ == Phase::Init && init_now_.empty()) {
    for (const json& container : spec_.at("containers")) start(container);
    phase_ = Phase::Running;
  }
  const bool all = phase_ == Phase::Running &&
                   std::ranges::all_of(spec_.at("containers"), [&](const json& container) {
                     return code(container.at("name")).has_value();
                   });
  if (all) end_sidecars();
}

void Pod::end_sidecars() {
  phase_ = Phase::Ended;
  for (const auto& [name, container] : running_) container->signal(SIGTERM);
}

std::optional<int> Pod::code(const std::string& container) const {
  const auto found = running_.find(container);
  return found == running_.end() ? std::nullopt : found->second->code();
}

std::string Pod::log(const std::string& container) const {
  const auto found = running_.find(container);
  return found == running_.end() ? "" : found->second->log();
}

std::string Pod::message(const std::string& container) const {
  constexpr std::size_t kMostOfALog = 2048;  // the kubelet's limit
  const std::string written = test::read_file(termination_file(container));
  if (!written.empty() || code(container).value_or(0) == 0) return written;
  const std::string all = log(container);
  return all.substr(all.size() - std::min(all.size(), kMostOfALog));
}

fs::path Pod::termination_file(const std::string& container) const {
  return folder_ / "containers" / container / "termination-log";
}

std::string Pod::logs() const {
  std::string out;
  for (const auto& [name, container] : running_) {
    for (const std::string& line : test::lines_of(container->log())) {
      out.append(hostname_).append("/").append(name).append(": ").append(line) += '\n';
    }
    const auto code = container->code();
    out.append(hostname_).append("/").append(name).append(": -- ");
    out.append(code ? "code " + std::to_string(*code) : "runs") += '\n';
  }
  return out;
}

void Pod::terminate() {
  terminated_ = true;
  for (const auto& [name, container] : running_) container->signal(SIGTERM);
}

void Pod::kill() {
  terminated_ = true;
  for (const auto& [name, container] : running_) container->signal(SIGKILL);
}

void Pod::start(const json& container) {
  const ContainerSpec spec = spec_of(container);
  fs::create_directories(spec.folder);
  const fs::path written = termination_file(container.at("name"));
  std::ofstream(written, std::ios::trunc).close();
  fs::permissions(written, static_cast<fs::perms>(0666));
  running_[container.at("name")] = std::make_unique<Container>(spec);
}

// A field of a container's securityContext, or else of the pod's.
json Pod::security_of(const json& container, const char* field) const {
  const json& own = at_path(container, {"securityContext", field});
  return own.is_null() ? at_path(spec_, {"securityContext", field}) : own;
}

// With hostNetwork, that of a node of its own.
std::string Pod::name_of_host() const {
  const bool of_node = at_path(spec_, {"hostNetwork"}) == true;
  return of_node ? "node-of-" + hostname_ : hostname_;
}

std::vector<std::string> Pod::environment_of(const json& container) const {
  std::map<std::string, std::string> image;
  image["PATH"] = kPath;
  image["HOSTNAME"] = name_of_host();
  image["HOME"] = security_of(container, "runAsUser").is_null() ? "/root" : "/";
  std::map<std::string, std::string> all = variables_of(container, image, machine_.sources.secrets);
  all.insert(environment_.begin(), environment_.end());
  std::vector<std::string> out;
  for (const auto& [name, value] : all) out.push_back(std::string(name).append("=").append(value));
  return out;
}

ContainerSpec Pod::spec_of(const json& container) const {
  const auto found = machine_.images.find(container.value("image", ""));
  const Image image = found == machine_.images.end() ? Image{} : found->second;
  ContainerSpec out;
  out.folder = folder_ / "containers" / container.at("name").get<std::string>();
  out.layers = image.layers;
  out.mounts = machine_.mounts;
  out.mounts.insert(out.mounts.end(), image.mounts.begin(), image.mounts.end());
  out.mounts.push_back({termination_file(container.at("name")), "/dev/termination-log"});
  for (const json& mount : at_path(container, {"volumeMounts"})) {
    const std::string name = mount.at("name");
    const auto volume = std::ranges::find(spec_.at("volumes"), name, [](const json& candidate) {
      return candidate.at("name").get<std::string>();
    });
    out.mounts.push_back({volumes_.at(name), mount.at("mountPath"),
                          mount.value("readOnly", false) || is_read_only(*volume)});
  }
  out.environment = environment_of(container);
  out.argv = command_of(container, image.entry_point,
                        variables_of(container, environment_, machine_.sources.secrets));
  out.working_dir = container.value("workingDir", "");
  out.hostname = name_of_host();
  out.uid = security_of(container, "runAsUser").is_null()
                ? 0
                : security_of(container, "runAsUser").get<uid_t>();
  const json group = security_of(container, "runAsGroup");
  out.gid = group.is_null() ? 0 : group.get<gid_t>();
  const json fs_group = at_path(spec_, {"securityContext", "fsGroup"});
  if (!fs_group.is_null()) out.fs_group = fs_group.get<gid_t>();
  const json& security = at_path(container, {"securityContext"});
  out.read_only_root = at_path(security, {"readOnlyRootFilesystem"}) == true;
  out.no_new_privileges = at_path(security, {"allowPrivilegeEscalation"}) == false;
  const json& dropped = at_path(security, {"capabilities", "drop"});
  out.no_capabilities = dropped.is_array() && std::ranges::count(dropped, json("ALL")) > 0;
  return out;
}

}  // namespace mc::pods
