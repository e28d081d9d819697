#pragma once
#include <iosfwd>

#include "common/api/examine.h"

namespace mc::commands {

struct RenderOptions {
  std::vector<std::string> files;  // "-" is standard input
  bool with_secrets = false;
  api::FieldValidation fields = api::FieldValidation::StrictEverywhere;
};

// `minicluster-controller render`: every object of every MiniCluster in the files, as YAML on
// `out`; errors, as admission reports them, on `err`. Returns the exit code, as check()
// does. A FluxSetup is checked too; it and documents
// of other kinds are skipped with a line on `err`.
int render(const RenderOptions& options, std::istream& in, std::ostream& out, std::ostream& err);

}  // namespace mc::commands
