#include "services/kubectl-minicluster/verbs/get_watch.h"

#include <map>
#include <ostream>
#include <thread>
#include <utility>

#include "common/base/clock.h"
#include "common/base/guarded.h"
#include "common/kube/informer.h"
#include "common/kube/store.h"
#include "services/api_resources.h"
#include "services/kubectl-minicluster/client/mailbox.h"
#include "services/kubectl-minicluster/client/patience.h"
#include "services/kubectl-minicluster/verbs/verb.h"
#include "services/kubectl-minicluster/view/get_table.h"

namespace mc::kubectl {
namespace {

constexpr std::chrono::seconds kTick{1};  // of the table's times

// What the watching thread tells.
struct News {
  std::vector<kube::Change<json>> changes;  // since they were last taken
  std::string trouble;                      // why nothing is received at the moment; "": nothing
  std::optional<Error> end;                 // the watch has ended, because of this
};

bool ends_watch(const Error& error, Patience& patience, Patience::Time now) {
  if (error.kind == ErrorKind::Forbidden) return patience.is_final(error, now);
  return error.kind == ErrorKind::NotFound || error.kind == ErrorKind::Invalid;
}

kube::Scope scope_of(const WatchedMiniClusters& what, const Session& session) {
  kube::Scope scope{.resource = kMiniClusters};
  if (!what.all_namespaces) scope.ns = session.namespace_name();
  scope.label_selector = what.selector;
  if (!what.name.empty()) scope.field_selector = "metadata.name=" + what.name;
  return scope;
}

// The rows of a changing table, a line each.
class Lines {
 public:
  Lines(const GetColumns& columns, const Terminal& terminal)
      : columns_(columns), terminal_(terminal), layout_(layout_of(terminal)) {}

  void print(const std::vector<kube::Change<json>>& changes, Time now) {
    std::vector<Row> rows;
    if (std::exchange(is_first_, false)) rows.push_back(get_headings(columns_));
    for (const kube::Change<json>& change : changes) add(change, now, rows);
    widths_ = widened(std::move(widths_), rows);
    for (const Row& row : rows) terminal_.out << line_of(row, widths_, layout_) << "\n";
    terminal_.out.flush();
  }

 private:
  // Times alone are no change.
  void add(const kube::Change<json>& change, Time now, std::vector<Row>& rows) {
    const kube::Object before = change.before.object(), after = change.after.object();
    if (!after) return rows.push_back(deleted_row(*before, columns_, now));
    Row row = get_row(*after, columns_, now);
    if (!before || get_row(*before, columns_, now) != row) rows.push_back(row);
  }

  const GetColumns columns_;
  const Terminal& terminal_;
  const Layout layout_;
  Widths widths_;
  bool is_first_ = true;
};

// The table, drawn over itself.
class Screen {
 public:
  Screen(const GetColumns& columns, const Terminal& terminal)
      : columns_(columns), terminal_(terminal) {}

  void draw(const kube::Store<json>& store, const std::string& trouble, Time now) {
    const int columns = terminal_.columns;
    terminal_.measure();
    std::vector<json> found;
    for (const kube::Object& each : store.all()) found.push_back(*each);
    const Layout layout = layout_of(terminal_);
    std::vector<std::string> lines = lines_of(get_table(found, columns_, now), layout);
    lines = fitting(std::move(lines), static_cast<std::size_t>(terminal_.rows));
    if (!trouble.empty()) lines.push_back(line_of({{trouble}}, {}, layout));
    // Lines of another width may have been wrapped: their number is unknown.
    if (columns != terminal_.columns) terminal_.out << "\033[2J\033[H";
    terminal_.out << redraw(lines, columns == terminal_.columns ? drawn_ : 0);
    terminal_.out.flush();
    drawn_ = lines.size();
  }

 private:
  const GetColumns columns_;
  Terminal terminal_;
  std::size_t drawn_ = 0;
};

// Follows the MiniClusters in a thread of its own, until it is destroyed.
class Feed {
 public:
  Feed(const WatchedMiniClusters& what, const Session& session, Mailbox& mailbox)
      : session_(session),
        mailbox_(mailbox),
        informer_(session.transport(), store_, clock_, scope_of(what, session), hooks()),
        thread_([this](const std::stop_token& stop) { informer_.run(stop); }) {}

  const kube::Store<json>& store() const { return store_; }

  // The news since the last call.
  News take() {
    return news_.with([](News& news) {
      News taken = news;
      news.changes.clear();
      return taken;
    });
  }

 private:
  template <class F>
  void tell(const F& change) {
    news_.with(change);
    mailbox_.wake();
  }

  kube::InformerHooks hooks() {
    kube::InformerHooks hooks;
    store_.listen([this](const kube::Change<json>& change) {
      tell([&](News& news) { news.changes.push_back(change); });
    });
    hooks.on_synced = [this] {
      patience_.succeeded();
      tell([](News&) {});
    };
    hooks.is_permanent = [this](const Error& error) {
      if (error.kind == ErrorKind::Gone) return false;  // they are listed again
      const auto end = ends_watch(error, patience_, clock_.now()) ? error : session_.lost();
      tell([&](News& news) {
        news.trouble = "The cluster does not answer, retrying: " + sentence_of(error);
        news.end = end;
      });
      return end.has_value();
    };
    // After an error, the informer says so when it has an answer again.
    hooks.log = [this](const std::string& sentence) {
      if (sentence.starts_with("Cannot")) return;
      patience_.succeeded();
      tell([](News& news) { news.trouble.clear(); });
    };
    return hooks;
  }

  const Session& session_;
  Mailbox& mailbox_;
  const SystemClock clock_;
  kube::Store<json> store_;
  Guarded<News> news_;
  Patience patience_;  // used by the thread
  kube::Informer informer_;
  std::jthread thread_;
};

}  // namespace

int watch_miniclusters(const WatchedMiniClusters& what, const Session& session,
                       const Terminal& terminal) {
  Mailbox mailbox;
  Feed feed(what, session, mailbox);
  const GetColumns columns{.namespaces = what.all_namespaces, .starts = what.starts};
  Lines lines(columns, terminal);
  Screen screen(columns, terminal);
  const SystemClock clock;
  std::string said;
  while (true) {
    (void)mailbox.take(std::chrono::steady_clock::now() + kTick);
    const News news = feed.take();
    if (news.end) return report(terminal, *news.end);
    if (terminal.out_redraws) {
      if (feed.store().synced()) screen.draw(feed.store(), news.trouble, clock.wall());
    } else {
      if (news.trouble != said && !news.trouble.empty()) terminal.err << news.trouble << "\n";
      said = news.trouble;
      if (!news.changes.empty()) lines.print(news.changes, clock.wall());
    }
    if (!terminal.out) return report_broken_output(terminal);
  }
}

}  // namespace mc::kubectl
