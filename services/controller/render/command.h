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
// `out`; what is wrong on `err`, in the words of admission. Returns the exit code: 0, 1 when a
// MiniCluster is refused, 2 when a file cannot be read. Documents of other kinds are passed over
// with a line.
int render_command(const RenderOptions& options, std::istream& in, std::ostream& out,
                   std::ostream& err);

}  // namespace mc::render
