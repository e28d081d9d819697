#pragma once
#include <iosfwd>

#include "common/api/examine.h"

namespace mc::render {

struct RenderOptions {
  std::vector<std::string> files;  // "-" is standard input
  bool with_secrets = false;
  api::FieldValidation fields = api::FieldValidation::Strict;
};

// `minicluster-controller render`: every object of every MiniCluster in the files, as YAML on
// `out`; errors, as admission reports them, on `err`. Returns the exit code: 0, 1 if a MiniCluster
// is refused, 2 if a file cannot be read. Skips documents of other kinds with a line on `err`.
int render_command(const RenderOptions& options, std::istream& in, std::ostream& out,
                   std::ostream& err);

}  // namespace mc::render
