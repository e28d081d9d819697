#pragma once
#include <map>
#include <string>
#include <vector>

// The rules of docs/architecture.md as code: what may include what, and where a third-party library
// may be used.
namespace mc::layout {

// A file's path from the repository's root -> its text.
using Tree = std::map<std::string, std::string>;

// Each returns one line per violation, `path:line: what is wrong and what the rule is`.

// Includes of the project's headers, which belong to libraries, and of the standard library, the
// system and third parties. `layers` has a line for each library, after those that it depends on:
// its name, the prefix of its files, and its dependencies (mc_layer in cmake/mc.cmake).
std::vector<std::string> include_violations(const Tree& tree, const std::string& layers);

// A file of the controller that decides, but includes JSON.
std::vector<std::string> json_violations(const Tree& tree);

// Files that only decide must not reach connections, threads or the clock, even indirectly.
std::vector<std::string> purity_violations(const Tree& tree);

// What kubectl-minicluster consists of uses nothing that only Linux has.
std::vector<std::string> portability_violations(const Tree& tree);

// Paths of one machine: those at or below `folders` (the checkout, the user's home folder).
std::vector<std::string> machine_path_violations(const Tree& tree,
                                                 const std::vector<std::string>& folders);

// Every folder of sources has tests, and every folder of tests has sources.
std::vector<std::string> mirror_violations(const Tree& tree);

}  // namespace mc::layout
