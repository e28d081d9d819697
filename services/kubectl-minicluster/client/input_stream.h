#pragma once
#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <thread>

#include "common/base/guarded.h"
#include "services/kubectl-minicluster/client/kubectl.h"

namespace mc::kubectl {

// Gives one run of a container our standard input, by one `kubectl attach`, until the input, the
// container or the connection ends. The container has `stdinOnce`: the end of this is the end of
// its input.
class InputStream {
 public:
  struct Recipient {
    std::string pod, container;
    std::string first_line;  // before the input
    bool is_all = false;     // nothing follows that line
  };

  InputStream(const Kubectl& kubectl, Recipient target, std::function<void()> on_end);
  ~InputStream();  // ends it
  InputStream(const InputStream&) = delete;
  InputStream& operator=(const InputStream&) = delete;

  // kubectl's sentence, "" if the container has ended; nothing while it runs.
  std::optional<std::string> ended() const {
    return end_.with([](const auto& end) { return end; });
  }

  // Whether the container has been reached: until then, the standard input is not read.
  bool is_connected() const { return is_connected_; }
  // Whether the container was given bytes of the standard input.
  bool has_given() const { return has_given_; }

 private:
  void give();
  void give_all();
  bool pass_on();

  const Recipient target_;
  const std::function<void()> on_end_;
  Result<Child> child_;
  std::atomic<bool> is_connected_ = false, has_given_ = false;
  std::string errors_;  // of the child
  Guarded<std::optional<std::string>> end_;
  std::thread giver_;
};

}  // namespace mc::kubectl
