#include <variant>

#include "common/kube/store.h"
#include "common/kube/watcher.h"
#include "services/controller/cluster/read.h"
#include "tests/fuzz/targets.h"

namespace mc::fuzz {
namespace {

constexpr std::string_view kPage = R"({"kind": "PodList", "metadata": {"resourceVersion": "1"},
  "items": [{"metadata": {"name": "a-0", "namespace": "n", "uid": "u", "resourceVersion": "1"}}]})";

// What is read of an object does not depend on what is dropped of it, nor on the parser.
template <class T>
void keeps_what_it_reads(std::string_view line, T (*read)(const json&)) {
  const json whole = json::parse(line, nullptr, false);
  const json kept = kube::parse_answer(line, 1, controller::fields_of(T::kKind));
  require(whole.is_discarded() == kept.is_discarded(), "JSON is JSON to both");
  if (whole.is_discarded()) return;
  require(read(at_path(kept, {"object"})) == read(at_path(whole, {"object"})),
          std::string("all that is read of a ") + T::kKind + " is kept");
}

// Calls `f` with each function that reads an object of a watch.
template <class F>
void for_each_reader(const F& f) {
  f(controller::read_pod);
  f(controller::read_job);
  f(controller::read_config_map);
  f(controller::read_service);
  f(controller::read_pod_disruption_budget);
  f(controller::read_refusal);
  f(controller::read_mount_failure);
  f(controller::read_workload);
}

template <class F>
void for_each_line(std::string_view text, const F& f) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    f(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

// The object that an event brings; null: none.
kube::Object object_of(const kube::WatchEvent& event) {
  return std::visit(
      [](const auto& one) -> kube::Object {
        if constexpr (requires { one.object; }) return one.object;
        return nullptr;
      },
      event);
}

// Feeds a watcher, and reads what it gives with `read`.
template <class Read>
void follow(std::string_view input, const Read& read) {
  kube::Watcher watcher({.resource = {"", "v1", "pods", "Pod"}});
  (void)watcher.page(kPage);
  require(watcher.watching(), "a whole list is followed by a watch");
  for_each_line(input, [&](std::string_view line) {
    const auto event = watcher.line(line);
    if (const auto object = event && *event ? object_of(**event) : nullptr) {
      require(!kube::metadata_text(*object, "name").empty(), "what is told has a name");
      (void)read(*object);
    }
    if (!watcher.watching()) (void)watcher.page(kPage);
    (void)watcher.next();
  });
}

}  // namespace

void watch_line(std::string_view input) {
  for_each_reader([&](auto* read) {
    for_each_line(input, [&](std::string_view line) { keeps_what_it_reads(line, read); });
    follow(input, read);
  });
  follow(input, controller::read_flux_setup);
  kube::Watcher fresh({.resource = {"", "v1", "pods", "Pod"}});
  (void)fresh.page(input);
}

}  // namespace mc::fuzz
