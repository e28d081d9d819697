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

// Decides who may read the metrics: users whom the API server lets `get` the path /metrics, by a
// TokenReview of the bearer token and a SubjectAccessReview.
class MetricsAccess {
 public:
  // Both must outlive this object. `transport` is one of its own: with short timeouts, so that a
  // scrape does not delay other requests, and not restricted to the leader, because followers are
  // scraped too.
  MetricsAccess(kube::Transport& transport, const Clock& clock)
      : client_(transport), clock_(clock), again_(clock) {}

  // Nothing if the request is allowed. Otherwise the answer, one plain line: 401 no token or an
  // unknown one; 403 no right; 429 too many unknown tokens; 503 no answer from the API server; 500
  // the controller may not ask. Thread-safe.
  std::optional<observe::HttpResponse> refusal(const observe::HttpRequest& request);

  // Renews the verdicts of allowed tokens in use before they expire, until `stop`, so that only the
  // first scrape waits for the API server. Call it from one thread.
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
  Guarded<std::string> last_error_;  // logged already
  kube::WorkQueue again_;            // tokens to ask about again; never log them
};

}  // namespace mc::controller
