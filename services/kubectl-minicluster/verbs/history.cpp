#include "services/kubectl-minicluster/view/history.h"

#include <CLI/CLI.hpp>
#include <memory>
#include <ostream>
#include <utility>

#include "common/base/clock.h"
#include "services/api_resources.h"
#include "services/kubectl-minicluster/client/session.h"
#include "services/kubectl-minicluster/verbs/verb.h"

// `history`: MiniClusters that have ended.
namespace mc::kubectl {
namespace {

struct HistoryOptions {
  std::string selector;
  bool all = false;
};

int history_verb(const HistoryOptions& options, const Context& context) {
  const Terminal& terminal = context.terminal;
  const auto session = Session::open(context.cluster);
  if (!session) return report(terminal, session.error());
  const std::string ns = options.all ? "" : session->namespace_name();
  // Before the MiniClusters: one that is created in between has no event here, and one that exists
  // is never taken for deleted.
  const auto events = session->client().list(
      kube::kEvents, ns, {.field_selector = "involvedObject.kind=MiniCluster", .limit = 500});
  const auto miniclusters =
      session->client().list(kMiniClusters, ns, {.label_selector = options.selector});
  if (!miniclusters) return report(terminal, miniclusters.error());
  History history{.miniclusters = items_at(*miniclusters, {"items"}),
                  .deleted = events && options.selector.empty()};
  if (events) history.events = items_at(*events, {"items"});
  if (!events && options.selector.empty()) {
    terminal.err << "Warning: deleted MiniClusters are not listed: " << sentence_of(events.error())
                 << "\n";
  }
  const auto rows = history_table(history, options.all, SystemClock().wall());
  if (rows.size() > 1) return print_lines(lines_of(rows, layout_of(terminal)), terminal);
  terminal.err << "No MiniCluster has ended" << (options.all ? "" : " in " + ns + " namespace")
               << ".\n";
  return 0;
}

}  // namespace

void add_history(const CommandLine& line) {
  auto options = std::make_shared<HistoryOptions>();
  CLI::App& app =
      add_verb(line, "history",
               "List MiniClusters that have ended, as sacct lists jobs, the newest end\n"
               "last. CODE is the command's exit code. TOOK counts from the moment at\n"
               "which enough pods were ready; when that is forgotten, after an hour,\n"
               "from the start of the Job. Of deleted ones only events tell, which\n"
               "Kubernetes keeps for an hour: these have no size, and if they were\n"
               "deleted before their end, the result is Deleted, and ENDED and WHY are\n"
               "the last that was heard.",
               {"history", "history -A", "history -l team=blue"});
  app.add_flag("-A,--all-namespaces", options->all, "MiniClusters of all namespaces");
  app.add_option("-l,--selector", options->selector,
                 "Only those with these labels, as in kubectl, that still\n"
                 "exist: events have no labels")
      ->type_name("SELECTOR");
  app.callback([options, &chosen = line.chosen] {
    chosen = [options](const Context& context) { return history_verb(*options, context); };
  });
}

}  // namespace mc::kubectl
