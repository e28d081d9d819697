#include "common/kube/dump.h"

#include <utility>

namespace mc::kube {

LogLine dump_of(const Scope& scope, const StoreContents& store) {
  LogLine out{"Dump: cache", {{"kind", std::string(scope.resource.kind)}}};
  if (!scope.ns.empty()) out.fields.emplace_back("namespace", scope.ns);
  if (!scope.field_selector.empty()) out.fields.emplace_back("selector", scope.field_selector);
  out.fields.emplace_back("objects", std::to_string(store.objects));
  out.fields.emplace_back("synced", store.synced ? "true" : "false");
  out.fields.emplace_back("resourceVersion", std::to_string(store.version));
  return out;
}

std::vector<LogLine> dump_of(const std::string& queue, const WorkQueue::Contents& contents) {
  LogLine first{"Dump: work queue",
                {{"name", queue},
                 {"ready", std::to_string(contents.stats.depth)},
                 {"delayed", std::to_string(contents.stats.waiting)},
                 {"running", std::to_string(contents.stats.running)},
                 {"failing", std::to_string(contents.failing)}}};
  if (contents.next_due) {
    first.fields.emplace_back("nextInMilliseconds", std::to_string(contents.next_due->count()));
  }
  std::vector<LogLine> out{std::move(first)};
  for (const auto& [key, time] : contents.running) {
    out.push_back({"Dump: reconcile",
                   {{"queue", queue},
                    {"key", key},
                    {"runningForMilliseconds", std::to_string(time.count())}}});
  }
  return out;
}

}  // namespace mc::kube
