#pragma once
#include <filesystem>
#include <string>
#include <string_view>

#include "common/base/result.h"

namespace mc::kube {

// The address of the API server and our credentials. Holds PEM texts; the only file is the token's.
struct Config {
  std::string server;  // https://host[:port][/prefix]
  // Connect to this socket instead, over plain HTTP, for example that of `kubectl proxy
  // --unix-socket`. `server` is then http://localhost, the only name that such a proxy accepts.
  std::filesystem::path unix_socket;
  std::string ca_pem;                  // empty: the system's authorities
  std::string token;                   // bearer token; empty: none
  std::filesystem::path token_file;    // read for each request, because kubelets replace it; wins
  std::string client_certificate_pem;  // with its chain; empty: none
  std::string client_key_pem;
  bool insecure_skip_tls_verify = false;  // true only if the kubeconfig says so
  std::string default_namespace = "default";
  // The program. Also the field manager of its writes (the API server uses the part before the
  // slash).
  std::string user_agent = "kube-client";
};

// The parts of Config::server.
struct Endpoint {
  bool tls = true;
  std::string host;  // lower case; an IPv6 address without its brackets
  int port = 443;
  std::string prefix;  // of every path; empty, or "/x" without a trailing slash
};

// Fails with Invalid unless it is https, or http to a loopback address, without user information.
// Quotes the URL unless it has an @, because a password may precede that.
[[nodiscard]] Result<Endpoint> parse_server(const std::string& url);

// The first of these that applies, as in kubectl and client-go:
// 1. `kubeconfig_path` if not empty
// 2. the first file of the list $KUBECONFIG (later ones are not merged)
// 3. the service account of the pod we run in
// 4. ~/.kube/config
// Errors name the file and the reason, never the contents of a credential. Proxies (HTTPS_PROXY,
// proxy-url) are not supported.
[[nodiscard]] Result<Config> load_config(const std::string& kubeconfig_path);

// The current context of a kubeconfig. Relative paths in it are relative to `folder`. Unsupported
// settings (exec and auth-provider plugins, basic authentication, impersonation, proxy-url,
// tls-server-name) are errors, because without them we would act as another user.
[[nodiscard]] Result<Config> parse_kubeconfig(std::string_view text,
                                              const std::filesystem::path& folder);

// `folder` is the mount of a pod's service account; `host` and `port` are the values of
// KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT.
[[nodiscard]] Result<Config> in_cluster_config(const std::filesystem::path& folder,
                                               const std::string& host, const std::string& port);

}  // namespace mc::kube
