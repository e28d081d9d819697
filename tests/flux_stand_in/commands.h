#pragma once
#include <string>
#include <vector>

#include "tests/flux_stand_in/local_socket.h"

// The subcommands that talk to a broker. Each takes the words after its name and returns its exit
// code.
namespace mc::stand_in {

using Words = std::vector<std::string>;

int submit(const Words& words);
int run(const Words& words);
int exec_on_ranks(const Words& words);
int job(const Words& words);
int getattr(const Words& words);
int proxy(const Words& words);

// Prints an error and returns the exit code of a subcommand.
int failed(const std::string& name, const std::string& why);

// Executes another program. Returns only on failure.
int become(const std::string& name, Words words);

}  // namespace mc::stand_in
