#include "services/kubectl-minicluster/app/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string_view>
#include <utility>

#include "common/base/file.h"
#include "common/base/text.h"
#include "common/base/version.h"
#include "services/kubectl-minicluster/app/completion.h"
#include "services/kubectl-minicluster/app/walk.h"
#include "services/kubectl-minicluster/view/script.h"
#include "services/kubectl-minicluster/view/verb_names.h"

namespace mc::kubectl {
namespace {

using Words = std::vector<std::string>;

// Larger programs belong into the image or a volume.
constexpr std::size_t kMostScript = std::size_t{256} << 10;

void add_cluster(CLI::App& app, ClusterFlags& flags) {
  app.add_option("--kubeconfig", flags.kubeconfig, "As in kubectl")->type_name("FILE");
  app.add_option("--context", flags.context, "As in kubectl")->type_name("NAME");
  app.add_option("-n,--namespace", flags.ns, "As in kubectl. In `run`, -n is the number of tasks")
      ->type_name("NAMESPACE");
  add_duration(app, "--request-timeout", flags.request_timeout,
               "Longest time until the first answer of the cluster",
               {std::chrono::milliseconds(1), std::chrono::hours(1)});
}

// Instead of an unexpected argument, a verb that does not exist.
void explain_verb(const CLI::App& app, Exit& exit) {
  if (exit.code == 0 || !app.get_subcommands().empty()) return;
  const auto words = app.remaining();
  if (words.empty() || words.front().starts_with('-')) return;
  std::vector<std::string> verbs;
  for (const CLI::App* const verb : app.get_subcommands({})) verbs.push_back(verb->get_name());
  exit.text = "error: " + unknown_verb(words.front(), verbs) + "\n";
}

// All verbs, and what the words before the command or the script say.
class Parser {
 public:
  explicit Parser(const Script* script = nullptr) {
    app_.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    app_.set_version_flag("--version", "kubectl-minicluster " + version());
    app_.require_subcommand(1);
    add_cluster(app_, options_.cluster);
    const CommandLine line{
        .app = app_, .command = command_, .chosen = options_.verb, .script = script};
    add_run(line);
    add_submit(line);
    add_attach(line);
    add_wait(line);
    add_get(line);
    add_queue(line);
    add_history(line);
    add_account(line);
    add_explain(line);
    add_logs(line);
    add_exec(line);
    add_change(line);
    add_check_and_render(line);
  }
  // The verbs refer to its members.
  Parser(const Parser&) = delete;
  Parser& operator=(const Parser&) = delete;

  const CLI::App& app() const { return app_; }

  // `command`: what follows `--` or the script.
  std::expected<Options, Exit> parse(const Words& words, Words command = {}) {
    command_ = std::move(command);
    std::vector<const char*> arguments = {""};
    for (const std::string& word : words) arguments.push_back(word.c_str());
    auto exit = mc::parse(app_, static_cast<int>(arguments.size()), arguments.data());
    if (!exit) return options_;
    explain_verb(app_, *exit);
    return std::unexpected(*std::move(exit));
  }

 private:
  Words command_;
  Options options_;
  CLI::App app_{
      "Run commands in MiniClusters, HPC clusters inside Kubernetes, and look at them.\n"
      "`kubectl minicluster VERB --help` has examples.",
      "kubectl minicluster"};
};

// Where the verb and its local script stand.
struct ScriptPlace {
  Words::const_iterator verb, script;
};

std::optional<ScriptPlace> find_script(const Words& words, const CLI::App& app) {
  Walk walk(app);
  ScriptPlace out{words.end(), words.end()};
  for (auto word = words.begin(); word != words.end(); ++word) {
    const Walk::Kind kind = walk.take(*word).kind;
    if (kind == Walk::Kind::Dashes) return std::nullopt;
    if (kind == Walk::Kind::VerbName) out.verb = word;
    if (kind != Walk::Kind::Script) continue;
    out.script = word;
    return out;
  }
  return std::nullopt;
}

Exit usage_mistake(const std::string& sentence) {
  return {kUsageError, "error: " + one_line(sentence) + "\n"};
}

std::expected<Script, Exit> read_script(const std::string& file) {
  auto text = read_file(file, kMostScript);
  // An editor's mark of UTF-8. A kernel does not find the program of a first line after it.
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  if (text && text->starts_with(kMark)) text->erase(0, kMark.size());
  std::string why = text ? why_no_script(*text) : text.error().message;
  if (why.empty()) return Script{file, *std::move(text)};
  if (!text && text.error().kind == ErrorKind::NotFound)
    why +=
        "; an argument that contains . or / is the path of a local script; to run a program of the "
        "image, write its name after `--`";
  return std::unexpected(usage_mistake(file + ": " + why));
}

// `error: WHY` as `error: WHERE: WHY`.
Exit with_place(Exit exit, const std::string& where) {
  constexpr std::string_view kError = "error: ";
  if (exit.text.starts_with(kError)) exit.text.insert(kError.size(), one_line(where) + ": ");
  return exit;
}

// Whether these words are flags of the verb, and nothing else.
std::optional<Exit> mistake_in(const Words& words, const std::string& verb, Parser& parser) {
  Walk walk(parser.app());
  walk.take(verb);
  for (const std::string& word : words) {
    const Walk::Kind kind = walk.take(word).kind;
    if (kind != Walk::Kind::Flag && kind != Walk::Kind::Value)
      return usage_mistake("unexpected argument: " + word);
  }
  Words line = {verb};
  line.insert(line.end(), words.begin(), words.end());
  const auto options = parser.parse(line);
  if (options) return std::nullopt;
  if (options.error().code == 0)
    return usage_mistake(words.front() + " cannot be used in a script");
  return options.error();
}

// The words of its directives, each line of which is right by itself.
std::expected<Words, Exit> flags_in(const Script& script, const std::string& verb) {
  const auto place = [&](std::size_t line) { return script.file + ":" + std::to_string(line); };
  const auto directives = directives_of(script.text);
  if (!directives) {
    const ScriptMistake& mistake = directives.error();
    return std::unexpected(usage_mistake(place(mistake.line) + ": " + mistake.why));
  }
  Words out;
  Parser parser;
  for (const auto& [line, words] : *directives) {
    if (auto mistake = mistake_in(words, verb, parser))
      return std::unexpected(with_place(*std::move(mistake), place(line)));
    out.insert(out.end(), words.begin(), words.end());
  }
  return out;
}

// The script's flags come first, so that the user's win.
std::expected<Options, Exit> parse_with_script(const Words& words, const ScriptPlace& place) {
  const Words own(words.begin(), place.script);
  const auto alone = Parser().parse(own);
  if (!alone && alone.error().code == 0) return alone;  // --help
  const auto script = read_script(*place.script);
  if (!script) return std::unexpected(script.error());
  const auto flags = flags_in(*script, *place.verb);
  if (!flags) return std::unexpected(flags.error());
  Words all(words.begin(), place.verb + 1);
  all.insert(all.end(), flags->begin(), flags->end());
  all.insert(all.end(), place.verb + 1, place.script);
  auto options = Parser(&*script).parse(all, {place.script + 1, words.end()});
  // What is right without the script is wrong because of it.
  if (!options && alone)
    return std::unexpected(with_place(std::move(options.error()), script->file));
  return options;
}

}  // namespace

std::expected<Options, Exit> parse_options(int argc, const char* const* argv) {
  const Words words(argv + 1, argv + argc);
  Parser parser;
  if (asks_for_candidates(*argv)) {
    return Options{.cluster = {}, .verb = print_candidates(complete(parser.app(), words))};
  }
  if (const auto place = find_script(words, parser.app())) return parse_with_script(words, *place);
  const auto dashes = std::ranges::find(words, "--");
  const auto command = dashes == words.end() ? dashes : dashes + 1;
  return parser.parse({words.begin(), dashes}, {command, words.end()});
}

}  // namespace mc::kubectl
