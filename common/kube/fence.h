#pragma once
#include <functional>
#include <utility>

#include "common/kube/transport.h"

namespace mc::kube {

// Reads go through; a write only while `may_write` says so, at the moment when it is to be sent.
// One that may not is refused with Unavailable and never leaves the process.
class FencedTransport final : public Transport {
 public:
  // `inner` must outlive it. `may_write` is called from any thread.
  FencedTransport(Transport& inner, std::function<bool()> may_write)
      : inner_(inner), may_write_(std::move(may_write)) {}

  [[nodiscard]] Result<Response> send(const Request& request) override;
  [[nodiscard]] Result<void> stream(
      const Request& request, std::stop_token stop,
      const std::function<bool(std::string_view line)>& on_line) override;

 private:
  Transport& inner_;
  const std::function<bool()> may_write_;
};

}  // namespace mc::kube
