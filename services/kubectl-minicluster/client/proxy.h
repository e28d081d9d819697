#pragma once
#include <chrono>
#include <filesystem>
#include <future>
#include <memory>
#include <string>
#include <thread>

#include "common/base/guarded.h"
#include "common/base/result.h"
#include "services/kubectl-minicluster/client/bell.h"
#include "services/kubectl-minicluster/client/child.h"
#include "services/kubectl-minicluster/client/kubectl.h"

namespace mc::kubectl {

// `kubectl proxy` on a Unix socket in a folder that only we may enter: the API server with the
// user's credentials. Proxy and folder end with us. The end of kubectl counts, also if a plugin for
// credentials has left a program that keeps its pipes open.
class Proxy {
 public:
  // Returns once it listens. Invalid, with kubectl's sentence, if it does not within the flags'
  // request_timeout.
  [[nodiscard]] static Result<std::unique_ptr<Proxy>> start(const Kubectl& kubectl,
                                                            const ClusterFlags& flags);
  ~Proxy();
  Proxy(const Proxy&) = delete;
  Proxy& operator=(const Proxy&) = delete;

  // Ends it early.
  void stop() { child_.kill(); }

  // Whether it has ended, or ends within `limit`.
  bool ends_within(std::chrono::milliseconds limit) const {
    return ended_.wait_for(limit) == std::future_status::ready;
  }

  std::filesystem::path socket() const { return folder_ / "api"; }

  // The last line that it has logged, for example why it has no credentials; "" if none.
  std::string last_words() const;

 private:
  Proxy(std::filesystem::path folder, Child child);
  void read_errors();

  const std::filesystem::path folder_;
  Child child_;
  const Bell has_ended_;  // rung by waiter_
  Guarded<std::string> errors_;
  std::promise<void> end_;
  const std::shared_future<void> ended_ = end_.get_future().share();
  std::jthread waiter_;  // for its end
  std::jthread reader_;  // of its standard error, which must not fill up
};

}  // namespace mc::kubectl
