#include "services/kubectl-minicluster/view/exec.h"

namespace mc::kubectl {
namespace {

// $1 is the mount path of the view. The entry point writes flux-view.sh before the snippet `pre`
// (docs/pods.md); HOME is then as in the entry point. mc_ready is empty if there is no broker yet.
constexpr const char* kEnter = R"(mc_ready=
if [ -e "$1/flux-view.sh" ]; then
  . "$1/flux-view.sh"
  export FLUX_URI="$fluxsocket"
  [ ! -S "${fluxsocket#local://}" ] || mc_ready=1
fi
[ "${HOME:-/}" != / ] || export HOME=/home/flux-operator
shift
)";

constexpr const char* kFlux = R"(if [ -z "$mc_ready" ]; then
  echo 'error: no Flux broker runs in this container yet' >&2
  exit 1
fi
exec flux "$@"
)";

constexpr const char* kShell = R"(if [ -z "$mc_ready" ]; then
  echo 'No Flux broker runs in this container yet, so `flux` cannot connect.' >&2
fi
if command -v bash >/dev/null 2>&1; then exec bash; fi
exec sh
)";

std::vector<std::string> script(const json& minicluster, const char* what) {
  std::string mount = text_at(minicluster, {"spec", "flux", "container", "mountPath"});
  if (mount.empty()) mount = "/mnt/flux";
  return {"/bin/sh", "-c", std::string(kEnter) + what, "sh", mount};
}

}  // namespace

std::vector<std::string> exec_arguments(const Target& target,
                                        const std::vector<std::string>& command, bool terminal) {
  std::vector<std::string> out = {"exec", "-i"};
  if (terminal) out.emplace_back("-t");
  out.insert(out.end(), {target.pod, "--container=" + target.container, "--"});
  out.insert(out.end(), command.begin(), command.end());
  return out;
}

std::vector<std::string> flux_command(const json& minicluster,
                                      const std::vector<std::string>& arguments) {
  std::vector<std::string> out = script(minicluster, kFlux);
  out.insert(out.end(), arguments.begin(), arguments.end());
  return out;
}

std::vector<std::string> shell_command(const json& minicluster) {
  return script(minicluster, kShell);
}

}  // namespace mc::kubectl
