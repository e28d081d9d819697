#pragma once
#include <map>
#include <string>
#include <vector>

// What may include what, and where which third-party library may be seen: the house rules that
// docs/architecture.md explains, as code.
namespace mc::layout {

// A file's path from the repository's root -> its text.
using Tree = std::map<std::string, std::string>;

// Each returns one line per violation, `path:line: what is wrong and what the rule is`.

// Own headers, by folder; and those of the standard library, the system and third parties.
std::vector<std::string> include_violations(const Tree& tree);

// Files that only decide reach neither connections, threads nor the clock, however indirectly.
std::vector<std::string> purity_violations(const Tree& tree);

// Paths of one machine: those at or below `folders` (the checkout, the home of who works on it).
std::vector<std::string> machine_path_violations(const Tree& tree,
                                                 const std::vector<std::string>& folders);

// Every folder of sources has its tests, and every folder of tests its sources.
std::vector<std::string> mirror_violations(const Tree& tree);

}  // namespace mc::layout
