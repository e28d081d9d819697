#pragma once
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/json.h"
#include "services/kubectl-minicluster/view/job_flags.h"
#include "services/kubectl-minicluster/view/script.h"

// The MiniCluster that `run` creates.
namespace mc::kubectl {

struct RunFlags {
  std::string name = {}, image = {}, view = {};  // "": not given
  std::string job_name = {};                     // as Slurm has it, of which the name is made
  std::string account = {};                      // the value of the label api::kAccountLabel
  std::optional<std::int64_t> nodes = {}, tasks = {};
  std::vector<std::string> environment = {};  // NAME=VALUE
  std::vector<std::string> set = {};          // spec.PATH=VALUE, applied last
  std::vector<std::string> command = {};      // with a script, its arguments
  std::optional<Script> script = {};
  JobFlags job = {};
};

// The MiniCluster of the flags, which override those of `file` (a MiniCluster, or null). Its log is
// the command's (quiet), with labels at its standard error, and each word of the command arrives as
// it is. Without a name, the API server makes one from the command's or the image's. The error is a
// sentence: a usage error.
[[nodiscard]] std::expected<json, std::string> minicluster_of(const RunFlags& flags,
                                                              const json& file);

// What the user should know of the script, as sentences that begin with its file: lines and flags
// that have no effect, and a program that starts tasks elsewhere but not here.
std::vector<std::string> warnings_of_script(const RunFlags& flags);

// Has the command's standard input open for `run`. False if the MiniCluster has no command that
// could read it: a batch, or an interactive one.
bool open_input(json& object);

// Has the lead wait, at the command's end, for a client that copies its files. False if the
// MiniCluster is interactive: it has no command.
bool let_linger(json& object);

// The only MiniCluster in a manifest. The error is a sentence without the name of the file.
[[nodiscard]] std::expected<json, std::string> only_minicluster(std::string_view manifest);

// What the API server's refusal of an object says, as kubectl prints it, without `error: `: one
// line, or for several fields `The MiniCluster "x" is invalid:` and a line for each. "" if `status`
// (a metav1.Status) is not about fields.
std::string refused_fields(const json& status);

}  // namespace mc::kubectl
