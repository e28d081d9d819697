#include "services/kubectl-minicluster/client/log_stream.h"

#include <utility>

namespace mc::kubectl {
namespace {

// A time contains no other character that a query gives a meaning.
std::string encoded(std::string time) {
  for (auto plus = time.find('+'); plus != std::string::npos; plus = time.find('+')) {
    time.replace(plus, 1, "%2B");
  }
  return time;
}

}  // namespace

kube::Request pod_log_request(const PodLog& log) {
  kube::Request request;
  request.method = "GET";
  request.path = "/api/v1/namespaces/" + log.ns + "/pods/" + log.pod +
                 "/log?container=" + log.container + "&timestamps=true";
  if (log.follow) request.path += "&follow=true";
  if (log.previous) request.path += "&previous=true";
  if (!log.since.empty()) {
    request.path += "&sinceTime=" + encoded(log.since);
  } else if (log.tail) {
    request.path += "&tailLines=" + std::to_string(*log.tail);
  }
  if (log.most_bytes) request.path += "&limitBytes=" + std::to_string(*log.most_bytes);
  request.accept = "*/*";
  request.what = "read the log of " + log.ns + "/" + log.pod;
  return request;
}

LogStream::LogStream(kube::Transport& transport, const PodLog& log, Hooks hooks)
    : transport_(transport),
      request_(pod_log_request(log)),
      hooks_(std::move(hooks)),
      reader_([this](const std::stop_token& stop) { read(stop); }) {}

void LogStream::read(const std::stop_token& stop) {
  bool wanted = true;
  Result<void> end = transport_.read(request_, stop, [&](std::string_view bytes) {
    return wanted = hooks_.on_bytes(bytes, stop);
  });
  if (wanted) hooks_.on_bytes({}, stop);
  end_.with([&](auto& ended) { ended = std::move(end); });
  hooks_.on_end();
}

}  // namespace mc::kubectl
