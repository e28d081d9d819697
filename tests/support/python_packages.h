#pragma once
#include <string>
#include <vector>

#include "common/base/text.h"
#include "tests/support/folders.h"
#include "tests/support/process.h"

namespace mc::test {

// The folder of the Python environment NAME with what the files in `folder` require, which
// tests/support/python-packages.sh installs once.
inline std::string python_packages(const std::string& name, const std::filesystem::path& folder,
                                   const std::vector<std::string>& files) {
  std::vector<std::string> command = {source_dir() / "tests/support/python-packages.sh", name};
  for (const std::string& file : files) command.push_back(folder / file);
  return std::string(trimmed(must_run(command)));
}

}  // namespace mc::test
