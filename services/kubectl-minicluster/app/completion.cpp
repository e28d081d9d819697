#include "services/kubectl-minicluster/app/completion.h"

#include <poll.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <ostream>
#include <sstream>

#include "common/base/text.h"
#include "services/kubectl-minicluster/app/walk.h"

namespace mc::kubectl {
namespace {

constexpr std::chrono::milliseconds kPatience{2000};

// A tab separates the description, of which the first sentence is enough.
std::string described(const std::string& word, const std::string& description) {
  const std::string text = one_line(description);
  return text.empty() ? word : word + "\t" + text.substr(0, text.find(". "));
}

// The words of CLI::IsMember, which are part of the type in the help: `FORMAT:{json,yaml}`.
std::vector<std::string> known_values(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const auto begin = type.find('{'), end = type.find('}');
  std::vector<std::string> out;
  if (begin == std::string::npos || end == std::string::npos) return out;
  std::istringstream words(type.substr(begin + 1, end - begin - 1));
  for (std::string word; std::getline(words, word, ',');) out.push_back(word);
  return out;
}

// The command line up to the word to complete.
class Reader {
 public:
  explicit Reader(const CLI::App& app) : root_(app), walk_(app) {}

  void take(const std::string& word) {
    const Walk::Step step = walk_.take(word);
    if (step.option != nullptr) set(*step.option, step.value);
  }

  Completion complete(const std::string& partial) const {
    Completion out;
    out.partial = partial;
    out.cluster = cluster_;
    const auto equals = partial.find('=');
    if (walk_.awaiting() != nullptr) {
      complete_value(*walk_.awaiting(), out);
    } else if (walk_.is_in_command()) {
      return out;  // a command in the pod
    } else if (partial.starts_with("--") && equals != std::string::npos) {
      out.partial = partial.substr(equals + 1);
      if (const CLI::Option* const flag = walk_.option(partial.substr(0, equals))) {
        complete_value(*flag, out);
      }
    } else if (partial.starts_with('-')) {
      add_flags(out.words);
    } else if (&walk_.app() == &root_) {
      for (const CLI::App* const verb : root_.get_subcommands({})) {
        out.words.push_back(described(verb->get_name(), verb->get_description()));
      }
    } else if (takes_script(walk_.app())) {
      out.directive =
          Directive::Files;  // its other argument is the name of what does not exist yet
    } else if (const CLI::Option* const next = positional()) {
      complete_value(*next, out);
    }
    return out;
  }

 private:
  void set(const CLI::Option& option, const std::string& value) {
    if (option.check_name("--kubeconfig")) cluster_.kubeconfig = value;
    if (option.check_name("--context")) cluster_.context = value;
    if (option.check_name("--namespace")) cluster_.ns = value;
  }

  // The argument that is next.
  const CLI::Option* positional() const {
    int before = 0;
    for (const CLI::Option* const each : walk_.app().get_options({})) {
      if (!each->get_positional()) continue;
      before += std::min(each->get_items_expected_max(), 1 << 20);
      if (walk_.positionals() < before) return each;
    }
    return nullptr;
  }

  static void complete_value(const CLI::Option& option, Completion& out) {
    out.words = known_values(option);
    const std::string type = option.get_type_name();
    if (option.check_name("NAME")) out.wanted = Wanted::MiniClusters;
    if (option.check_name("--namespace")) out.wanted = Wanted::Namespaces;
    if (option.check_name("--context")) out.wanted = Wanted::Contexts;
    if (type.starts_with("FILE") || type.starts_with("FOLDER")) out.directive = Directive::Files;
  }

  // The verb's flags, then those of the cluster.
  void add_flags(std::vector<std::string>& words) const {
    for (const CLI::App* const app : {&walk_.app(), &root_}) {
      for (const CLI::Option* const flag : app->get_options({})) {
        if (flag->get_group().empty()) continue;  // hidden
        for (const std::string& name : flag->get_lnames()) {
          if (walk_.option("--" + name) != flag) continue;  // the root's --help, again
          words.push_back(described("--" + name, flag->get_description()));
        }
      }
      if (app == &root_) return;
    }
  }

  const CLI::App& root_;
  Walk walk_;
  ClusterFlags cluster_;
};

// Until its end, or until the time is over.
std::string read_until(int fd, std::chrono::steady_clock::time_point end) {
  std::string text;
  while (true) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    pollfd waiting{fd, POLLIN, 0};
    if (::poll(&waiting, 1, static_cast<int>(std::max<std::int64_t>(left.count(), 0))) <= 0)
      return "";
    if (!read_some(fd, text)) return text;
  }
}

std::vector<std::string> kubectls_words(Wanted wanted) {
  switch (wanted) {
    case Wanted::Contexts:
      return {"config", "get-contexts", "--output=name"};
    case Wanted::Namespaces:
      return {"get", "namespaces", "--output=name", "--request-timeout=2s"};
    default:
      return {"get", "miniclusters.flux-framework.org", "--output=name", "--request-timeout=2s"};
  }
}

// The names that kubectl lists; none if it fails.
std::vector<std::string> names(const Completion& completion) {
  const auto until = std::chrono::steady_clock::now() + kPatience;
  std::vector<std::string> out;
  const auto kubectl = Kubectl::find(completion.cluster);
  if (!kubectl) return out;
  const auto child = kubectl->start(kubectls_words(completion.wanted));
  if (!child) return out;
  std::istringstream lines(read_until(child->out(), until));
  for (std::string line; std::getline(lines, line);) {
    // `namespace/team`; a context may contain slashes.
    out.push_back(completion.wanted == Wanted::Contexts ? line : line.substr(line.find('/') + 1));
  }
  return out;
}

}  // namespace

bool asks_for_candidates(std::string_view program) {
  return program.substr(program.rfind('/') + 1).starts_with("kubectl_complete-");
}

Completion complete(const CLI::App& app, const std::vector<std::string>& words) {
  Reader reader(app);
  for (std::size_t i = 0; i + 1 < words.size(); ++i) reader.take(words[i]);
  return reader.complete(words.empty() ? "" : words.back());
}

Verb print_candidates(const Completion& completion) {
  return [completion](const Context& context) {
    const auto words = completion.wanted == Wanted::Words ? completion.words : names(completion);
    for (const std::string& word : words) {
      if (word.starts_with(completion.partial)) context.terminal.out << word << "\n";
    }
    context.terminal.out << ":" << static_cast<int>(completion.directive) << "\n";
    return 0;
  };
}

}  // namespace mc::kubectl
