#include "bench/support/watch_lines.h"

#include <utility>

#include "common/kube/client.h"
#include "common/kube/object.h"
#include "tests/support/must.h"

namespace mc::bench {

std::jthread watch_lines(kube::Transport& transport, const kube::Resource& resource,
                         const std::string& ns, bool metadata_only,
                         std::function<void(std::string_view line)> on_line,
                         std::function<void(const std::string& why)> on_end) {
  const json page = test::must(kube::Client(transport).send(
      kube::request::list(resource, ns, {.limit = 1, .metadata_only = true})));
  const kube::Request watch =
      kube::request::watch(resource, ns,
                           {.resource_version = kube::metadata_text(page, "resourceVersion"),
                            .metadata_only = metadata_only});
  return std::jthread([&transport, watch, on_line = std::move(on_line),
                       on_end = std::move(on_end)](const std::stop_token& stop) {
    const auto result = transport.stream(watch, stop, [&](std::string_view line) {
      on_line(line);
      return true;
    });
    on_end(result ? "the watch has ended" : result.error().message);
  });
}

}  // namespace mc::bench
