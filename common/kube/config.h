#pragma once
#include <filesystem>
#include <string>
#include <string_view>

#include "common/base/result.h"
#include "common/base/version.h"

namespace mc::kube {

// Where the API server is and who we are to it. A plain value; PEM texts, no files but the token's.
struct Config {
  std::string server;                  // https://host[:port][/prefix]
  std::string ca_pem;                  // empty: the system's own authorities
  std::string token;                   // bearer token; empty: none
  std::filesystem::path token_file;    // read again for each request, as kubelets replace it; wins
  std::string client_certificate_pem;  // with its chain; empty: none
  std::string client_key_pem;
  bool insecure_skip_tls_verify = false;  // true only if the kubeconfig says so
  std::string default_namespace = "default";
  // Also the field manager of our writes (the API server takes what is before the slash).
  std::string user_agent = "minicluster-controller/" + version();
};

// The parts of Config::server.
struct Endpoint {
  bool tls = true;
  std::string host;  // lower case; an IPv6 address without its brackets
  int port = 443;
  std::string prefix;  // of every path; empty or "/x" without a slash at its end
};

// Fails with Invalid, naming the text, unless it is https, or http to a loopback address.
[[nodiscard]] Result<Endpoint> parse_server(const std::string& url);

// The first that applies, as kubectl and client-go look:
// 1. `kubeconfig_path` if not empty; 2. the first file of the list $KUBECONFIG (later ones are not
// merged); 3. the service account of the pod we run in; 4. ~/.kube/config.
// Errors name the file and what is wrong with it, never what a credential holds. Proxies
// (HTTPS_PROXY, proxy-url) are not supported.
[[nodiscard]] Result<Config> load_config(const std::string& kubeconfig_path);

// The current context of a kubeconfig. Relative paths in it are relative to `folder`. What we
// cannot do (exec and auth-provider plugins, basic authentication, impersonation, proxy-url,
// tls-server-name) is an error, for leaving it out would act as somebody else.
[[nodiscard]] Result<Config> parse_kubeconfig(std::string_view text,
                                              const std::filesystem::path& folder);

// The files that a pod's service account is mounted as, and the values of
// KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT.
[[nodiscard]] Result<Config> in_cluster_config(const std::filesystem::path& folder,
                                               const std::string& host, const std::string& port);

}  // namespace mc::kube
