#pragma once
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

#include "common/base/guarded.h"
#include "services/kubectl-minicluster/cluster/kubectl.h"

namespace mc::kubectl {

// The log of one run of a container, by one `kubectl logs -f`, until the container or the
// connection ends. Each line begins with its time.
class LogStream {
 public:
  struct Source {
    std::string pod, container;
    std::string since;  // RFC 3339; from this second on. "": from the start
  };
  struct Hooks {
    // Takes bytes, in the stream's thread; none after the last. False: nobody wants any more.
    std::function<bool(std::string_view)> on_bytes;
    std::function<void()> on_end;  // ended() says how
  };

  struct End {
    std::string error;  // kubectl's sentence; "": it ended by itself
  };

  LogStream(const Kubectl& kubectl, Source source, Hooks hooks);
  ~LogStream();  // ends it; waits for on_bytes
  LogStream(const LogStream&) = delete;
  LogStream& operator=(const LogStream&) = delete;

  // How it ended; nothing while it runs.
  std::optional<End> ended() const {
    return end_.with([](const auto& end) { return end; });
  }

  // Ends it, without waiting for that.
  void kill();

 private:
  void read();
  End follow(Child& child);

  const Source source_;
  const Hooks hooks_;
  Result<Child> child_;
  Guarded<std::optional<End>> end_;
  std::thread reader_;
};

}  // namespace mc::kubectl
