#pragma once
#include <iosfwd>
#include <string>
#include <vector>

#include "common/api/examine.h"

namespace mc::api {

struct CheckOptions {
  std::vector<std::string> files;  // "-" is standard input
  bool json = false;
  api::FieldValidation fields = api::FieldValidation::Strict;
};

inline constexpr int kCheckAccepted = 0, kCheckRefused = 1, kCheckUnreadable = 2;

// Says of every MiniCluster in the files what admission would say on creation, to `out`; what
// cannot be read goes to `err` (with -o json it is part of the document). Documents of other kinds
// are passed over, Lists are opened. Returns the exit code, the worst of all documents.
int check(const CheckOptions& options, std::istream& standard_input, std::ostream& out,
          std::ostream& err);

}  // namespace mc::api
