#pragma once
#include <iosfwd>

#include "services/webhook/options.h"

namespace mc::webhook {

inline constexpr int kAccepted = 0, kRefused = 1, kUnreadable = 2;

// Says of every MiniCluster in the files what admission would say on creation, to `out`; what
// cannot be read goes to `err` (with -o json it is part of the document). Documents of other kinds
// are passed over, Lists are opened. Returns the exit code, the worst of all documents.
int check(const CheckOptions& options, std::istream& standard_input, std::ostream& out,
          std::ostream& err);

}  // namespace mc::webhook
