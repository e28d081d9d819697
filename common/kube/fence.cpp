#include "common/kube/fence.h"

namespace mc::kube {

Result<Response> FencedTransport::send(const Request& request) {
  if (request.method != "GET" && !may_write_()) {
    return fail(ErrorKind::Unavailable, request.what + ": not sent, we are not the leader");
  }
  return inner_.send(request);
}

Result<void> FencedTransport::stream(const Request& request, std::stop_token stop,
                                     const std::function<bool(std::string_view line)>& on_line) {
  return inner_.stream(request, std::move(stop), on_line);
}

}  // namespace mc::kube
