#pragma once
#include <string>
#include <vector>

#include "tests/flux_stand_in/local_socket.h"

// The sub-commands that ask a broker, each with the words behind its name; they give exit codes.
namespace mc::stand_in {

using Words = std::vector<std::string>;

int submit(const Words& words);
int run(const Words& words);
int batch(const Words& words);
int exec_on_ranks(const Words& words);
int job(const Words& words);
int jobs(const Words& words);
int queue(const Words& words);
int resource(const Words& words);
int getattr(const Words& words);
int shutdown(const Words& words);
int proxy(const Words& words);

// The broker that FLUX_URI names; says so, as `flux-NAME`, where there is none.
[[nodiscard]] Result<Connection> open_broker(const std::string& name);

// Prints what a job prints, to its end; its code.
int follow(Connection& broker, const std::string& name);

// Ends a sub-command with a sentence.
int failed(const std::string& name, const std::string& why, int code = 1);

// A set of ranks or cores, `0-2,5`; empty where it is none.
std::vector<std::size_t> id_set(const std::string& text);

}  // namespace mc::stand_in
