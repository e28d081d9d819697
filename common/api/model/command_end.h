#pragma once
#include <cstdint>
#include <string>
#include <string_view>

// How a MiniCluster's last condition says that its command has failed. Programs read
// status.exitCode.
namespace mc::api {

// `The command ended with code 7`, with which the message of CommandFailed begins.
inline constexpr std::string_view kCommandEndedWith = "The command ended with code ";
std::string command_ended_with(std::int64_t code);

// The same, if it may have been a snippet: the pod and its log are gone.
std::string command_or_snippet_ended_with(std::int64_t code);

}  // namespace mc::api
