#include "services/kubectl-minicluster/view/explain.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <ostream>

#include "common/base/clock.h"
#include "services/kubectl-minicluster/client/log_stream.h"
#include "services/kubectl-minicluster/client/session.h"
#include "services/kubectl-minicluster/verbs/verb.h"
#include "services/kubectl-minicluster/view/log_position.h"
#include "services/kubectl-minicluster/view/pods.h"

namespace mc::kubectl {
namespace {

// Reads what explain_page() needs. What cannot be read, for example for want of a right, is told on
// the page.
class PageReader {
 public:
  PageReader(const Session& session, json minicluster) : session_(session) {
    what_.minicluster = std::move(minicluster);
  }

  Explained read() {
    what_.pods = list(kube::kPods, {.label_selector = selector_of_pods(what_.minicluster)});
    what_.events = list(kube::kEvents, {.field_selector = "type=Warning", .limit = 500});
    if (const json* const lead = pod_of_rank(what_.pods, 0)) add_logs(*lead);
    return std::move(what_);
  }

 private:
  std::vector<json> list(const kube::Resource& resource, const kube::ListOptions& options) {
    const auto found = session_.client().list(resource, session_.namespace_name(), options);
    if (found) return items_at(*found, {"items"});
    what_.unread.push_back(sentence_of(found.error()));
    return {};
  }

  void add_logs(const json& lead) {
    const std::string name = text_at(lead, {"metadata", "name"});
    const std::string container = flux_container(what_.minicluster);
    const json& status = container_status(lead, container);
    if (integer_at(status, {"restartCount"}) > 0) {
      add_log({.pod = name, .container = container, .previous = true},
              {.title = "The lead's last lines before its restart (pod " + name + ")"});
    }
    if (!has_started(status)) return;
    add_log({.pod = name, .container = container},
            {.title = "The lead's last lines (pod " + name + ")", .may_grow = is_running(status)});
  }

  void add_log(PodLog wanted, LogEnd log) {
    wanted.ns = session_.namespace_name();
    wanted.tail = 20;
    wanted.most_bytes = 64 * 1024;
    const kube::Request request = pod_log_request(wanted);
    const auto answer = session_.transport().send(request);
    if (!answer || answer->status != 200) {
      const Error error = answer ? kube::api_error(request, *answer) : answer.error();
      return what_.unread.push_back("The log of " + wanted.pod + ": " + sentence_of(error));
    }
    LogTimes times;
    log.text = times.take(answer->body);
    log.text += times.end();
    log.last_time = times.since();
    what_.logs.push_back(std::move(log));
  }

  const Session& session_;
  Explained what_;
};

int explain(const std::string& name, const Context& context) {
  const Terminal& terminal = context.terminal;
  const auto session = Session::open(context.cluster);
  if (!session) return report(terminal, session.error());
  auto minicluster = session->minicluster(name);
  if (!minicluster) return report(terminal, minicluster.error());
  const Explained what = PageReader(*session, *std::move(minicluster)).read();
  return print_lines(explain_page(what, layout_of(terminal), SystemClock().wall()), terminal);
}

}  // namespace

void add_explain(const CommandLine& line) {
  auto name = std::make_shared<std::string>();
  CLI::App& app =
      add_verb(line, "explain",
               "Explain on one page why a MiniCluster is as it is: its conditions and\n"
               "what the documentation says of them, pods that fail or wait, the lead's\n"
               "last lines, and warnings.",
               {"explain lammps"});
  add_name(app, *name);
  on_choice(line, app, [name](const Context& context) { return explain(*name, context); });
}

}  // namespace mc::kubectl
