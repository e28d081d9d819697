#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "services/controller/cluster/types.h"

// Reads the end of a container's log, which the kubelet stores in `terminated.message`: the last
// 2,048 bytes or 80 lines. Pure.
namespace mc::controller {

// The last lines without those of Flux's broker and of our own scripts, except our errors. At most
// `most` bytes from the end, cut between lines, or else between characters. A text of one line, as
// our own failures leave it, keeps that line.
std::string last_words(std::string_view tail, std::size_t most);

// From the last line of the form `minicluster: error: STEP ended with code N`.
std::optional<StepEnd> step_end(std::string_view tail);

// The command's exit code, from the message of a follower that the lead informed and that ended
// with 0.
std::optional<std::int64_t> reported_exit_code(std::string_view message);

// From the message of a lead that ended with 0.
std::optional<Singletons> reported_singletons(std::string_view message);

// `jobs that still ran after 60 s were ended: ...`, from the message of a follower that waited for
// the jobs on it in vain (broker.sh); "" if there were none. On one line.
std::string reported_outlived(std::string_view message);

}  // namespace mc::controller
