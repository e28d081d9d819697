#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "services/kubectl-minicluster/verbs/verb.h"

namespace CLI {
class App;
}

// Completion as kubectl asks plugins for it: it runs `kubectl_complete-NAME WORD... PARTIAL` for
// `kubectl NAME WORD... PARTIAL<Tab>` and reads a candidate from each line, then a directive.
namespace mc::kubectl {

// Cobra's ShellCompDirective (github.com/spf13/cobra, "Completions for Go").
enum class Directive {
  Files = 0,         // if there is no candidate, the shell completes the names of files
  NoCandidates = 1,  // an error
  NoFiles = 4,
};

// What stands where the cursor is.
enum class Wanted { Words, MiniClusters, Namespaces, Contexts };

struct Completion {
  Wanted wanted = Wanted::Words;
  std::vector<std::string> words;  // the candidates if wanted is Words: `word\tdescription`
  Directive directive = Directive::NoFiles;
  std::string partial;   // what candidates begin with
  ClusterFlags cluster;  // those that were given before
};

// Whether the program was called by a name under which kubectl asks for candidates.
bool asks_for_candidates(std::string_view program);

// Decides from the command line's own verbs and flags. The last word is the one to complete.
Completion complete(const CLI::App& app, const std::vector<std::string>& words);

// Prints the candidates. Names come from the cluster: within 2 s, otherwise there are none.
Verb print_candidates(const Completion& completion);

}  // namespace mc::kubectl
