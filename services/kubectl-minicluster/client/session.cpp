#include "services/kubectl-minicluster/client/session.h"

#include <algorithm>
#include <regex>
#include <utility>

#include "common/api/model/names.h"
#include "common/base/text.h"
#include "common/base/version.h"
#include "common/kube/access_review.h"
#include "services/api_resources.h"

namespace mc::kubectl {
namespace {

kube::Config config_of(const Proxy& proxy) {
  kube::Config config;
  config.server = "http://localhost";
  config.unix_socket = proxy.socket();
  config.user_agent = "kubectl-minicluster/" + version();
  return config;
}

kube::Request discovery() {
  kube::Request request;
  request.method = "GET";
  request.path = "/apis/" + std::string(api::kApiVersion);
  request.what = "discover " + std::string(api::kApiVersion);
  return request;
}

// Asks for the resources of our API, which nearly every user may see.
Result<void> check_cluster(const Proxy& proxy, const ClusterFlags& flags) {
  kube::TransportOptions options;
  // Not more: with what comes before, the user waits less than 5 s by default.
  options.response_timeout = std::max(
      std::chrono::seconds(1), std::chrono::floor<std::chrono::seconds>(flags.request_timeout));
  auto transport = kube::Transport::create(config_of(proxy), options);
  if (!transport) return std::unexpected(transport.error());
  const kube::Request request = discovery();
  const auto response = (*transport)->send(request);
  if (!response) {
    return fail(ErrorKind::Unavailable,
                "the cluster does not answer; to wait longer, use --request-timeout=60s");
  }
  if (response->status == 200) return {};
  if (response->status == 404) {
    return fail(ErrorKind::NotFound,
                "this cluster has no MiniClusters: the operator is not installed");
  }
  // Not a Status: the proxy's own words, about a connection or credentials.
  if (!response->body.starts_with('{')) {
    const std::string why(trimmed(response->body));
    return fail(ErrorKind::Unavailable,
                "cannot reach the cluster: " + one_line(why.empty() ? proxy.last_words() : why));
  }
  return std::unexpected(kube::api_error(request, *response));
}

}  // namespace

Result<Session> Session::open(const ClusterFlags& flags) {
  auto kubectl = Kubectl::find(flags);
  if (!kubectl) return std::unexpected(kubectl.error());
  auto proxy = Proxy::start(*kubectl, flags);
  if (!proxy) return std::unexpected(proxy.error());
  auto ns = kubectl->default_namespace();
  if (!ns) return std::unexpected(ns.error());
  if (auto answers = check_cluster(**proxy, flags); !answers)
    return std::unexpected(answers.error());
  auto transport = kube::Transport::create(config_of(**proxy));
  if (!transport) return std::unexpected(transport.error());
  return Session(kubectl->in(*ns), *ns, *std::move(proxy), *std::move(transport));
}

Result<json> Session::minicluster(const std::string& name) const {
  return client().get(kMiniClusters, namespace_, name);
}

Result<bool> Session::may_enter_pods(const std::string& subresource) const {
  return kube::may_i(client(), {{"namespace", namespace_},
                                {"verb", "create"},
                                {"resource", "pods"},
                                {"subresource", subresource}});
}

std::optional<Error> Session::lost(std::chrono::milliseconds patience) const {
  if (!proxy_->ends_within(patience)) return std::nullopt;
  return Error{ErrorKind::Unavailable, "kubectl proxy has ended: " + proxy_->last_words()};
}

std::string sentence_of(const Error& error) {
  // `get MiniCluster ns/x: 404 NotFound: miniclusters ... not found`, see kube::api_error.
  static const std::regex kPrefix(R"(^[^:]*: \d{3}(?: \w+)?: )");
  return one_line(std::regex_replace(error.message, kPrefix, ""));
}

bool is_unauthorized(const Error& error) {
  static const std::regex kUnauthorized(R"(^[^:]*: 401\b)");
  return error.kind == ErrorKind::Forbidden && std::regex_search(error.message, kUnauthorized);
}

}  // namespace mc::kubectl
