#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace mc::kubectl {

// Why there is no verb `word`, with the one that does the same as that command of Slurm, Flux or
// Grid Engine, or the most similar one: `unknown verb "squeue"; use
// kubectl minicluster get`.
std::string unknown_verb(std::string_view word, const std::vector<std::string>& verbs);

}  // namespace mc::kubectl
