#include "services/kubectl-minicluster/view/verb_names.h"

#include <map>

#include "common/base/similar.h"
#include "common/base/text.h"

namespace mc::kubectl {
namespace {

// What is typed elsewhere, and what does the same here.
const std::map<std::string_view, std::string_view>& same_elsewhere() {
  static const std::map<std::string_view, std::string_view> all = {
      {"alloc", "run --set spec.interactive=true"},
      {"batch", "submit"},
      {"create", "submit"},
      {"describe", "explain NAME"},
      {"info", "get"},
      {"kill", "cancel NAME"},
      {"list", "get"},
      {"ls", "get"},
      {"mpiexec", "run"},
      {"mpirun", "run"},
      {"ps", "get"},
      {"qdel", "cancel NAME"},
      {"qstat", "get"},
      {"qsub", "submit"},
      {"rm", "delete NAME"},
      {"sacct", "history"},
      {"salloc", "run --set spec.interactive=true"},
      {"sattach", "attach NAME"},
      {"sbatch", "submit"},
      {"scancel", "cancel NAME"},
      {"scontrol", "explain NAME"},
      {"sinfo", "flux NAME -- resource list"},
      {"sprio", "explain NAME"},
      {"squeue", "get"},
      {"sreport", "account"},
      {"srun", "run"},
      {"sshare", "account --by account"},
      {"sstat", "explain NAME"},
      {"start", "run"},
      {"status", "explain NAME"},
      {"stop", "suspend NAME"},
  };
  return all;
}

}  // namespace

std::string unknown_verb(std::string_view word, const std::vector<std::string>& verbs) {
  const std::string unknown = "unknown verb \"" + one_line(std::string(word)) + "\"";
  if (const auto same = same_elsewhere().find(word); same != same_elsewhere().end())
    return unknown + "; use kubectl minicluster " + std::string(same->second) + " instead";
  const std::string similar = most_similar(word, verbs);
  return similar.empty() ? unknown + "; see kubectl minicluster --help"
                         : unknown + ", did you mean \"" + similar + "\"?";
}

}  // namespace mc::kubectl
