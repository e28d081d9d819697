#pragma once
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "common/base/guarded.h"
#include "services/kubectl-minicluster/client/kubectl.h"

namespace mc::kubectl {

// Copies files and folders out of the lead, which stays for that (copy-out.sh), by `kubectl exec`
// and the tar of both sides; then tells the lead that it may end. What is there is overwritten.
class CopyOut {
 public:
  struct Source {
    std::string pod, container;
    std::vector<std::string> paths;  // relative ones begin at the container's working directory
    std::string folder;              // here; it exists
  };
  struct End {
    std::vector<std::string> copied;  // paths
    std::vector<std::string> failed;  // `PATH: why`
    std::string lost;                 // why the lead could not be reached; it was not told to end
  };

  CopyOut(const Kubectl& kubectl, Source source, std::function<void()> on_end);
  CopyOut(const CopyOut&) = delete;
  CopyOut& operator=(const CopyOut&) = delete;

  // Nothing while it copies.
  std::optional<End> ended() const {
    return end_.with([](const auto& end) { return end; });
  }

  // Ends it, without waiting for that.
  void kill() { thread_.request_stop(); }

 private:
  // How `copy-out.sh` ended.
  struct Outcome {
    std::string error;     // "": well
    bool is_lost = false;  // it may have been better at another time
  };

  void run(const std::stop_token& stop);
  Outcome copy(const std::string& path, const std::stop_token& stop) const;
  void tell_done(const std::stop_token& stop) const;
  std::vector<std::string> script(const std::vector<std::string>& arguments) const;

  const Kubectl& kubectl_;
  const Source source_;
  const std::function<void()> on_end_;
  Guarded<std::optional<End>> end_;
  std::jthread thread_;
};

}  // namespace mc::kubectl
