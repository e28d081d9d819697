#include "services/kubectl-minicluster/client/kubectl.h"

#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <utility>

#include "common/base/file.h"
#include "common/base/text.h"

namespace mc::kubectl {
namespace {

// Its value; "" if it is not set.
std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// The first executable of this name in PATH; "" if there is none.
std::string in_path(const std::string& name) {
  std::istringstream folders(variable("PATH"));
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::string file = (folder.empty() ? "." : folder) + "/" + name;
    std::error_code error;
    if (std::filesystem::is_regular_file(file, error) && ::access(file.c_str(), X_OK) == 0)
      return file;
  }
  return "";
}

}  // namespace

std::vector<std::string> words_of(const ClusterFlags& flags) {
  std::vector<std::string> out;
  const auto add = [&](const std::string& flag, const std::string& value) {
    if (!value.empty()) out.push_back(flag + "=" + value);
  };
  add("--kubeconfig", flags.kubeconfig);
  add("--context", flags.context);
  add("--namespace", flags.ns);
  return out;
}

Result<Kubectl> Kubectl::find(const ClusterFlags& flags) {
  std::string program = in_path("kubectl");
  if (program.empty()) {
    return fail(ErrorKind::NotFound,
                "kubectl is not in PATH; install it (kubernetes.io/docs/tasks/tools)");
  }
  return Kubectl(std::move(program), flags);
}

std::vector<std::string> Kubectl::command(const std::vector<std::string>& arguments) const {
  std::vector<std::string> out = words_of(flags_);
  out.insert(out.begin(), program_);
  out.insert(out.end(), arguments.begin(), arguments.end());
  return out;
}

Result<std::string> Kubectl::default_namespace() const {
  if (!flags_.ns.empty()) return flags_.ns;
  auto child = start({"config", "view", "--output=json"});
  if (!child) return std::unexpected(child.error());
  const std::string config = read_all(child->out());
  const std::string errors = read_all(child->err());
  if (child->wait() != 0) return fail(ErrorKind::Invalid, reason_in(errors));
  std::string ns = namespace_in(json::parse(config, nullptr, false), flags_.context);
  if (ns.empty()) ns = namespace_of_pod("/var/run/secrets/kubernetes.io/serviceaccount");
  return ns.empty() ? "default" : ns;
}

Error Kubectl::exec(const std::vector<std::string>& arguments) const {
  std::vector<std::string> words = command(arguments);
  std::signal(SIGPIPE, SIG_DFL);  // our client ignores it
  ::execv(program_.c_str(), argv_of(words).data());
  return Error{ErrorKind::Unavailable, "cannot start " + program_ + ": " + std::strerror(errno)};
}

Kubectl Kubectl::in(const std::string& ns) const {
  Kubectl out = *this;
  out.flags_.ns = ns;
  return out;
}

std::string namespace_in(const json& kubeconfig, const std::string& context) {
  const std::string name = context.empty() ? text_at(kubeconfig, {"current-context"}) : context;
  for (const json& each : items_at(kubeconfig, {"contexts"})) {
    if (text_at(each, {"name"}) == name) return text_at(each, {"context", "namespace"});
  }
  return "";
}

// As client-go's inClusterClientConfig.
std::string namespace_of_pod(const std::filesystem::path& service_account) {
  std::error_code ignored;
  const bool is_in_pod = !variable("KUBERNETES_SERVICE_HOST").empty() &&
                         !variable("KUBERNETES_SERVICE_PORT").empty() &&
                         std::filesystem::is_regular_file(service_account / "token", ignored);
  if (!is_in_pod) return "";
  if (std::string ns = variable("POD_NAMESPACE"); !ns.empty()) return ns;
  const auto text = read_file(service_account / "namespace", kMostFileBytes);
  return text ? std::string(trimmed(*text)) : "";
}

std::string reason_in(const std::string& errors) {
  std::istringstream lines(errors);
  std::string last;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("error: ")) return line.substr(7);
    if (line.starts_with("Error from server") || line.starts_with("Unable to connect")) return line;
    if (!trimmed(line).empty()) last = line;
  }
  return last.empty() ? "kubectl failed without a message" : last;
}

}  // namespace mc::kubectl
