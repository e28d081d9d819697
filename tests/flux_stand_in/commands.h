#pragma once
#include <string>
#include <vector>

#include "tests/flux_stand_in/local_socket.h"

// The sub-commands that ask a broker, each with the words behind its name; they give exit codes.
namespace mc::stand_in {

using Words = std::vector<std::string>;

int submit(const Words& words);
int run(const Words& words);
int exec_on_ranks(const Words& words);
int job(const Words& words);
int getattr(const Words& words);
int proxy(const Words& words);

// Ends a sub-command with a sentence.
int failed(const std::string& name, const std::string& why);

// Becomes another program. Returns only when it cannot.
int become(const std::string& name, Words words);

}  // namespace mc::stand_in
