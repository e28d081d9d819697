#include "tests/pods/node.h"

#include <net/if.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <thread>

#include "common/api/model/names.h"
#include "common/base/json.h"
#include "common/flux/curve.h"
#include "common/render/render.h"

namespace mc::pods {
namespace {

namespace fs = std::filesystem;

constexpr auto kStep = std::chrono::milliseconds(5);

void bring_loopback_up() {
  const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  require(fd >= 0, "socket");
  ifreq request{};
  request.ifr_name[0] = 'l';
  request.ifr_name[1] = 'o';
  request.ifr_flags = IFF_UP | IFF_LOOPBACK | IFF_RUNNING;
  const int result = ioctl(fd, SIOCSIFFLAGS, &request);
  close(fd);
  require(result == 0, "bring up lo");
}

std::map<std::string, std::string> texts(const json& values) {
  std::map<std::string, std::string> out;
  for (const auto& [key, value] : values.items()) out[key] = value.get<std::string>();
  return out;
}

}  // namespace

fs::path flux_folder() {
  const char* const folder = getenv("MINICLUSTER_FLUX");
  return folder == nullptr ? "" : folder;
}

Sandbox::Sandbox() {
  require(unshare(CLONE_NEWNS | CLONE_NEWNET) == 0, "unshare (only root can run these tests)");
  require(mount("", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0, "make / private");
  bring_loopback_up();
  std::string name = (fs::temp_directory_path() / "pods-XXXXXX").string();
  require(mkdtemp(name.data()) != nullptr, "mkdtemp");
  folder_ = name;
  require(mount("tmpfs", name.c_str(), "tmpfs", 0, "mode=0755") == 0, "mount " + name);
}

Sandbox::~Sandbox() {
  umount2(folder_.c_str(), MNT_DETACH);
  rmdir(folder_.c_str());
}

Node::Node() {
  machine_.folder = sandbox_.folder() / "pods";
  std::ofstream(sandbox_.folder() / "hosts") << "127.0.0.1 localhost\n";
  std::ofstream(sandbox_.folder() / "resolv.conf") << "nameserver 127.0.0.1\n";
  machine_.mounts = {{sandbox_.folder() / "hosts", "/etc/hosts"},
                     {sandbox_.folder() / "resolv.conf", "/etc/resolv.conf"}};
  if (!flux_folder().empty()) make_images(flux_folder() / "opt");
}

// In the view, the folders of the software are links to one that each container has: a pod then
// copies links instead of 130 MB (the stories on a real node copy all of it).
void Node::make_images(const fs::path& flux) {
  const fs::path images = sandbox_.folder() / "images";
  const Mount software = {flux / "software", "/opt/software", true};
  const Mount view = {fs::canonical(flux / "view"), "/opt/view", true};
  const fs::path shared = "/software-of-flux";
  machine_.mounts.push_back({software.source, shared, true});
  fs::create_directories(images / "view/opt/software");
  for (const auto& entry : fs::directory_iterator(software.source)) {
    const fs::path name = entry.path().filename();
    fs::create_symlink(shared / name, images / "view/opt/software" / name);
  }
  machine_.images[kViewImage].layers = {images / "view"};
  machine_.images[kViewImage].mounts = {view};
  fs::create_directories(images / "app/usr/local/bin");
  fs::create_symlink("/opt/software/flux/bin/flux", images / "app/usr/local/bin/flux");
  machine_.images[kImageWithFlux].layers = {images / "app"};
  machine_.images[kImageWithFlux].mounts = {software};
}

fs::path Node::new_folder(const std::string& name) {
  fs::path out = sandbox_.folder() / "folders" / name;
  fs::create_directories(out);
  fs::permissions(out, fs::perms::all);
  return out;
}

void Node::add_name(const std::string& name, const std::string& address) {
  // Appends and does not replace the file: containers have it mounted.
  std::ofstream(sandbox_.folder() / "hosts", std::ios::app) << address << " " << name << "\n";
}

void Node::step() {
  for (Pods* pods : pods_) {
    for (const auto& [index, pod] : pods->running_) pod->step();
    if (pods->service_running_) pods->service_running_->step();
  }
}

bool Node::until(const std::function<bool()>& condition, std::chrono::seconds limit) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  while (true) {
    step();
    if (condition()) return true;
    if (std::chrono::steady_clock::now() >= deadline) return false;
    std::this_thread::sleep_for(kStep);
  }
}

void Node::pass(std::chrono::milliseconds time) {
  const auto deadline = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < deadline) {
    step();
    std::this_thread::sleep_for(kStep);
  }
}

Pods::Pods(Node& node, const api::MiniCluster& cluster, const std::string& certificate)
    : node_(node),
      runner_(api::runner_container_name(cluster)),
      name_(cluster.name),
      service_(api::headless_name(cluster)),
      size_(static_cast<std::size_t>(cluster.spec.size)) {
  const std::string text = certificate.empty() ? fresh_certificate() : certificate;
  for (const json& object : render::render(cluster, text)) {
    const std::string kind = object.at("kind"), name = object.at("metadata").at("name");
    Sources& sources = node.machine().sources;
    if (kind == "ConfigMap") sources.config_maps[name] = texts(object.at("data"));
    if (kind == "Secret") {
      secret_name_ = name;
      sources.secrets[name] = texts(object.at("stringData"));
    }
    if (kind == "Job") job_ = object.at("spec");
    if (kind == "Pod") service_pod_ = object.at("spec");
    if (kind == "Service") node.add_name(name);
  }
  node.pods_.push_back(this);
}

Pods::~Pods() { std::erase(node_.pods_, this); }

void Pods::start(std::size_t index) {
  running_.erase(index);
  const std::string hostname = api::hostname(name_, static_cast<std::int64_t>(index));
  node_.add_name(hostname + "." + service_ + " " + hostname,
                 "127.0.0." + std::to_string(index + 2));
  running_[index] = std::make_unique<Pod>(
      node_.machine_, hostname, job_.at("template").at("spec"),
      std::map<std::string, std::string>{{"JOB_COMPLETION_INDEX", std::to_string(index)}});
}

void Pods::start_all() {
  for (std::size_t i = 0; i < size_; ++i) start(i);
}

bool Pods::run_all() {
  start_all();
  return node_.until([&] { return ended(); });
}

void Pods::start_service_pod() {
  const std::string hostname = service_pod_.at("hostname");
  node_.add_name(hostname + "." + service_);
  service_running_ = std::make_unique<Pod>(node_.machine_, hostname, service_pod_,
                                           std::map<std::string, std::string>{});
}

bool Pods::ended() const {
  return std::ranges::all_of(running_, [](const auto& entry) { return entry.second->ended(); });
}

std::string Pods::logs() const {
  std::string out;
  for (const auto& [index, pod] : running_) out += pod->logs();
  if (service_running_) out += service_running_->logs();
  return out;
}

void Pods::use_certificate(const std::string& certificate) {
  node_.machine().sources.secrets[secret_name_] = {{"curve.cert", certificate}};
}

std::string fresh_certificate() {
  return flux::curve_certificate(flux::generate_curve_keys(), "pods");
}

}  // namespace mc::pods
