#pragma once
#include "tests/pods/container.h"

// What a container's first process does before the command. Throws std::system_error.
namespace mc::pods {

// Creates the container's root file system and enters it. The caller must have its own mount
// namespace.
void enter_root(const ContainerSpec& spec);

// Switches to the container's user, permanently.
void become_user(const ContainerSpec& spec);

// Executes `argv`, found by PATH.
[[noreturn]] void execute(const ContainerSpec& spec, const std::vector<std::string>& argv);

// Unless `succeeded`, throws errno with `what`.
void require(bool succeeded, const std::string& what);

}  // namespace mc::pods
