#include "services/kubectl-minicluster/verbs/follow_flags.h"

#include <CLI/CLI.hpp>

namespace mc::kubectl {

void add_follow_flags(CLI::App& app, FollowFlags& flags) {
  app.add_option("-o,--output", flags.output,
                 "Local file for the output, instead of the standard output;\n"
                 "without -e also for the standard error")
      ->type_name("FILE");
  app.add_option("-e,--error", flags.error, "Local file for the command's standard error")
      ->type_name("FILE");
  CLI::Option* const paths =
      app.add_option("--copy-out", flags.files.paths,
                     "File or folder that is copied from the lead at the command's\n"
                     "end, while the lead waits; may be repeated. Needs tar in the\n"
                     "image")
          ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
          ->allow_extra_args(false)
          ->type_name("PATH");
  app.add_option("--copy-to", flags.files.folder,
                 "Local folder for the copies. Default: the current folder")
      ->check(CLI::ExistingDirectory.description(""))
      ->needs(paths)
      ->type_name("FOLDER");
}

Result<void> apply(const FollowFlags& flags, Follow::Options& options) {
  auto output = OutputFiles::open(flags.output, flags.error);
  if (!output) return std::unexpected(output.error());
  options.output = *std::move(output);
  options.files = flags.files;
  return {};
}

}  // namespace mc::kubectl
