#pragma once
#include <iosfwd>
#include <string>
#include <vector>

#include "common/api/examine.h"

namespace mc::commands {

struct CheckOptions {
  std::vector<std::string> files;  // "-" is standard input
  bool json = false;
  api::FieldValidation fields = api::FieldValidation::StrictEverywhere;
};

// Exit codes, also of render().
inline constexpr int kCheckAccepted = 0, kCheckRefused = 1, kCheckUnreadable = 2;

// Checks every object of kApiKinds in the files as `kubectl apply` and admission would on creation.
// Results go to `out`; files and documents that cannot be read go to `err` (with -o json they are
// part of the document). Documents of other kinds are skipped, the items of Lists are checked.
// Returns the exit code, the worst of all documents.
int check(const CheckOptions& options, std::istream& standard_input, std::ostream& out,
          std::ostream& err);

}  // namespace mc::commands
