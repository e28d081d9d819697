#include <CLI/CLI.hpp>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "common/base/clock.h"
#include "services/api_resources.h"
#include "services/kubectl-minicluster/client/session.h"
#include "services/kubectl-minicluster/verbs/verb.h"
#include "services/kubectl-minicluster/view/queue_chart.h"

// `queue`: who runs and who waits, over time.
namespace mc::kubectl {
namespace {

struct QueueOptions {
  std::string selector;
  bool all = false;
};

int queue(const QueueOptions& options, const Context& context) {
  const Terminal& terminal = context.terminal;
  const auto session = Session::open(context.cluster);
  if (!session) return report(terminal, session.error());
  const std::string ns = options.all ? "" : session->namespace_name();
  const auto list = session->client().list(kMiniClusters, ns, {.label_selector = options.selector});
  if (!list) return report(terminal, list.error());
  const auto lines = queue_chart(items_at(*list, {"items"}), {.namespaces = options.all},
                                 layout_of(terminal), SystemClock().wall());
  if (!lines.empty()) return print_lines(lines, terminal);
  terminal.err << "No MiniCluster runs or waits for a FluxSetup"
               << (options.all ? "" : " in " + ns + " namespace") << ".\n";
  return 0;
}

}  // namespace

void add_queue(const CommandLine& line) {
  auto options = std::make_shared<QueueOptions>();
  CLI::App& app = add_verb(line, "queue",
                           "Draw who runs and who waits in a FluxSetup's queue, over time: those\n"
                           "that run until their deadlineSeconds, those that wait from their\n"
                           "estimated start, which the first 100 have.",
                           {"queue", "queue -A", "queue -l team=blue"});
  app.add_flag("-A,--all-namespaces", options->all, "MiniClusters of all namespaces");
  app.add_option("-l,--selector", options->selector, "Only those with these labels, as in kubectl")
      ->type_name("SELECTOR");
  app.callback([options, &chosen = line.chosen] {
    chosen = [options](const Context& context) { return queue(*options, context); };
  });
}

}  // namespace mc::kubectl
