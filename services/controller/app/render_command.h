#pragma once
#include <iosfwd>

#include "services/controller/app/options.h"

namespace mc::controller {

// `minicluster-controller render`: every object of every MiniCluster in the files, as YAML on
// `out`; what is wrong on `err`, in the words of admission. Returns the exit code: 0, 1 when a
// MiniCluster is refused, 2 when a file cannot be read. Documents of other kinds are passed over
// with a line.
int render_command(const RenderOptions& options, std::istream& in, std::ostream& out,
                   std::ostream& err);

}  // namespace mc::controller
