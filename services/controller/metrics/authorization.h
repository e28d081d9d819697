#pragma once
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "common/base/clock.h"
#include "common/base/guarded.h"
#include "common/base/result.h"
#include "common/kube/client.h"
#include "common/kube/work_queue.h"
#include "common/observe/http_server.h"
#include "services/controller/metrics/access_cache.h"

namespace mc::controller {

// Who may read the metrics: whoever the API server lets `get` the path /metrics. Asked by bearer
// token with a TokenReview and a SubjectAccessReview.
class MetricsAccess {
 public:
  // Both must outlive it. A transport of its own, with short timeouts: not that of the work, which
  // a scrape must not hold up, and not the leader's, for followers are scraped, too.
  MetricsAccess(kube::Transport& transport, const Clock& clock)
      : client_(transport), clock_(clock), again_(clock) {}

  // Nothing for a request that may be answered. Otherwise its answer, one plain line: 401 no token
  // or nobody's; 403 no right; 429 too many tokens that are not known; 503 no answer of the API
  // server's; 500 it does not let us ask. Call it from any thread.
  std::optional<observe::HttpResponse> refusal(const observe::HttpRequest& request);

  // Asks again about those who were let in and come again, before their time is over, until `stop`:
  // so a scrape waits for the API server at first only. Call it from one thread.
  void run(const std::stop_token& stop);

 private:
  [[nodiscard]] bool is_due(const std::string& digest) const;
  [[nodiscard]] bool may_ask(const std::string& digest);
  [[nodiscard]] Result<AccessVerdict> ask_and_keep(std::string_view token,
                                                   const std::string& digest);
  [[nodiscard]] Result<AccessVerdict> ask(std::string_view token) const;
  observe::HttpResponse failed(const Error& error);

  // Constant.
  const kube::Client client_;
  const Clock& clock_;
  // Guarded.
  Guarded<AccessCache> cache_;
  Guarded<std::string> last_error_;  // in the log already
  kube::WorkQueue again_;            // tokens that are due; never to be logged
};

}  // namespace mc::controller
