#include "bench/fleet/lists.h"

#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "common/kube/request.h"
#include "services/controller/cache/caches.h"
#include "services/controller/cache/watches.h"
#include "tests/support/must.h"

namespace mc::bench {
namespace {

// metadata.continue, which the API server writes before the items.
std::string next_page(std::string_view body) {
  constexpr std::string_view kBefore = R"("continue":")";
  const std::size_t at = body.substr(0, body.find(R"("items":)")).find(kBefore);
  if (at == std::string_view::npos) return "";
  const std::size_t from = at + kBefore.size();
  return std::string(body.substr(from, body.find('"', from) - from));
}

void read_all(kube::Transport& transport, const kube::Scope& scope) {
  kube::ListOptions options{.label_selector = scope.label_selector,
                            .field_selector = scope.field_selector,
                            .metadata_only = scope.metadata_only};
  do {
    const auto request = kube::request::list(scope.resource, scope.ns, options);
    const auto answer = test::must(transport.send(request));
    if (answer.status != 200) throw std::runtime_error(request.what + ": " + answer.body);
    options.continue_token = next_page(answer.body);
  } while (!options.continue_token.empty());
}

}  // namespace

std::chrono::duration<double> lists_alone(kube::Transport& transport) {
  controller::Caches caches;
  const auto began = std::chrono::steady_clock::now();
  {
    std::vector<std::jthread> threads;
    for (const controller::StoreWatch& watch : controller::watches(caches)) {
      threads.emplace_back([&transport, scope = watch.scope] { read_all(transport, scope); });
    }
  }
  return std::chrono::steady_clock::now() - began;
}

}  // namespace mc::bench
