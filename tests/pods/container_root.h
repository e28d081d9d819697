#pragma once
#include "tests/pods/container.h"

// What happens in a container's first process before its command. Throws std::system_error.
namespace mc::pods {

// Makes the container's root file system and enters it; the caller has a mount namespace of its
// own.
void enter_root(const ContainerSpec& spec);

// Becomes the container's user, for good.
void become_user(const ContainerSpec& spec);

// Becomes `argv`, found by PATH.
[[noreturn]] void execute(const ContainerSpec& spec, const std::vector<std::string>& argv);

// Throws errno, with `what`, if `failed`.
void require(bool succeeded, const std::string& what);

}  // namespace mc::pods
