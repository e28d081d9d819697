#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// How a MiniCluster's last condition says that its command has failed. The controller writes the
// sentences, and programs read the exit code from them.
namespace mc::api {

// `The command ended with code 7`, with which the message of CommandFailed begins.
inline constexpr std::string_view kCommandEndedWith = "The command ended with code ";
std::string command_ended_with(std::int64_t code);

// The same, if it may have been a snippet: the pod is gone with its log.
std::string command_or_snippet_ended_with(std::int64_t code);

// The code in a message that begins so. Nothing in any other message.
std::optional<std::int64_t> code_of_command(std::string_view message);

}  // namespace mc::api
