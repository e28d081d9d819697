#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// What the end of a container's log tells, as the kubelet hands it on in `terminated.message`: the
// last 2,048 bytes or 80 lines. Pure.
namespace mc::controller {

// The last lines without what Flux' broker and our own scripts wrote, whose errors stay; at most
// `most` bytes of the end, whole lines and characters where possible. One line without a newline,
// as of our own failures, is given back as it is.
std::string last_words(std::string_view tail, std::size_t most);

// Which of our entry points' steps ended with which code, by the last line `minicluster: error:
// STEP ended with code N`.
struct StepEnd {
  std::string step;  // "the command", "init", "pre", "brokerPre", "workerPre" or "post"
  std::int64_t code = 0;
};
std::optional<StepEnd> step_end(std::string_view tail);

// How the command ended, in the words of a follower that was told so and ended with 0.
std::optional<std::int64_t> told_end(std::string_view message);

}  // namespace mc::controller
