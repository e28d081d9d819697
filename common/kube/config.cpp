#include "common/kube/config.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "common/base/base64.h"
#include "common/base/file.h"
#include "common/base/json.h"
#include "common/base/text.h"
#include "common/base/yaml.h"

namespace mc::kube {
namespace {

namespace fs = std::filesystem;

constexpr const char* kServiceAccount = "/var/run/secrets/kubernetes.io/serviceaccount";

// The error names the file.
Result<std::string> read(const fs::path& path) {
  auto bytes = read_file(path, kMostFileBytes);
  if (!bytes) {
    return fail(ErrorKind::Unavailable,
                "cannot read " + path.string() + ": " + bytes.error().message);
  }
  return bytes;
}

bool is_set(const json& object, const char* key) {
  const auto it = object.find(key);
  if (it == object.end()) return false;
  return it->is_string() ? !it->get_ref<const std::string&>().empty() : !it->empty();
}

// The member `part` ("cluster", "user", "context") of the entry called `name` in the list `list`.
Result<json> entry(const json& config, const char* list, const char* part,
                   const std::string& name) {
  for (const json& one : items_at(config, {list})) {
    if (text_at(one, {"name"}) != name) continue;
    const json& found = at_path(one, {part});
    return found.is_object() ? found : json::object();
  }
  return fail(ErrorKind::Invalid, std::string("no ") + part + " \"" + name + "\" in " + list);
}

// PEM from `<key>-data` (base64, wins) or from the file that `<key>` names; empty if neither is
// set.
Result<std::string> pem_of(const json& object, const std::string& key, const fs::path& folder) {
  const auto data = text_at(object, {key + "-data"});
  if (!data.empty()) {
    auto pem = base64_decoded(data);
    if (!pem) return fail(ErrorKind::Malformed, key + "-data is not base64");
    return *pem;
  }
  const auto path = text_at(object, {key});
  if (path.empty()) return std::string();
  return read(folder / path);  // an absolute path replaces the folder
}

Result<void> refuse_unsupported(const json& object, std::initializer_list<const char*> keys) {
  for (const char* key : keys) {
    if (is_set(object, key)) {
      return fail(ErrorKind::Invalid, std::string(key) +
                                          " is not supported: use a token, a token file or a "
                                          "client certificate, and a direct connection");
    }
  }
  return {};
}

Result<void> take_cluster(const json& cluster, const fs::path& folder, Config& config) {
  if (auto ok = refuse_unsupported(cluster, {"proxy-url", "tls-server-name"}); !ok) return ok;
  config.server = text_at(cluster, {"server"});
  if (auto endpoint = parse_server(config.server); !endpoint) {
    return std::unexpected(endpoint.error());
  }
  auto ca = pem_of(cluster, "certificate-authority", folder);
  if (!ca) return std::unexpected(ca.error());
  config.ca_pem = *ca;
  config.insecure_skip_tls_verify = cluster.value("insecure-skip-tls-verify", json()) == true;
  if (config.insecure_skip_tls_verify && !config.ca_pem.empty()) {
    return fail(ErrorKind::Invalid,
                "certificate-authority and insecure-skip-tls-verify exclude each other");
  }
  return {};
}

Result<void> take_user(const json& user, const fs::path& folder, Config& config) {
  if (auto ok = refuse_unsupported(
          user, {"exec", "auth-provider", "username", "password", "as", "as-uid", "as-groups"});
      !ok) {
    return ok;
  }
  auto certificate = pem_of(user, "client-certificate", folder);
  if (!certificate) return std::unexpected(certificate.error());
  auto key = pem_of(user, "client-key", folder);
  if (!key) return std::unexpected(key.error());
  if (certificate->empty() != key->empty()) {
    return fail(ErrorKind::Invalid, "client-certificate and client-key must both be set");
  }
  config.client_certificate_pem = *certificate;
  config.client_key_pem = *key;
  config.token = trimmed(text_at(user, {"token"}));
  if (const auto file = text_at(user, {"tokenFile"}); !file.empty())
    config.token_file = folder / file;
  return {};
}

Result<Config> load_kubeconfig(const fs::path& path) {
  auto text = read(path);
  if (!text) return fail(text.error().kind, "load kubeconfig: " + text.error().message);
  auto config = parse_kubeconfig(*text, path.parent_path());
  if (!config) {
    return fail(config.error().kind,
                "load kubeconfig " + path.string() + ": " + config.error().message);
  }
  return config;
}

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

}  // namespace

Result<Endpoint> parse_server(const std::string& url) {
  const auto bad = [&](const std::string& why) {
    if (url.contains('@')) {
      return fail(ErrorKind::Invalid, "server: must not contain a user name or password");
    }
    return fail(ErrorKind::Invalid, "server \"" + url + "\": " + why);
  };
  Endpoint endpoint;
  std::string_view rest = url;
  if (rest.starts_with("https://")) {
    rest.remove_prefix(8);
  } else if (rest.starts_with("http://")) {
    rest.remove_prefix(7);
    endpoint.tls = false;
    endpoint.port = 80;
  } else {
    return bad("must start with https://");
  }
  const auto slash = std::min(rest.find('/'), rest.size());
  endpoint.prefix = rest.substr(slash);
  while (endpoint.prefix.ends_with('/')) endpoint.prefix.pop_back();
  rest = rest.substr(0, slash);

  const bool bracketed = rest.starts_with('[');
  const auto host_end = bracketed ? rest.find(']') : std::min(rest.find(':'), rest.size());
  if (host_end == std::string_view::npos) return bad("has no ] after its IPv6 address");
  endpoint.host = rest.substr(bracketed ? 1 : 0, host_end - (bracketed ? 1 : 0));
  rest.remove_prefix(host_end + (bracketed ? 1 : 0));
  if (rest.starts_with(':')) {
    const auto [end, error] =
        std::from_chars(rest.data() + 1, rest.data() + rest.size(), endpoint.port);
    if (error != std::errc() || end != rest.data() + rest.size()) return bad("has a bad port");
  } else if (!rest.empty()) {
    return bad("has no port after its address");
  }
  if (endpoint.host.empty() || endpoint.host.find_first_of("@?# ") != std::string::npos) {
    return bad("has no host name");
  }
  if (endpoint.port < 1 || endpoint.port > 65535) return bad("has a bad port");
  std::transform(endpoint.host.begin(), endpoint.host.end(), endpoint.host.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  const bool loopback =
      endpoint.host.starts_with("127.") || endpoint.host == "::1" || endpoint.host == "localhost";
  if (!endpoint.tls && !loopback) return bad("must start with https:// (http only to loopback)");
  return endpoint;
}

Result<Config> parse_kubeconfig(std::string_view text, const fs::path& folder) {
  auto documents = parse_yaml(text);
  if (!documents) return std::unexpected(documents.error());
  if (documents->size() != 1 || !documents->front().is_object()) {
    return fail(ErrorKind::Malformed, "is not one YAML mapping");
  }
  const json& file = documents->front();
  const auto current = text_at(file, {"current-context"});
  if (current.empty()) return fail(ErrorKind::Invalid, "current-context is not set");
  auto context = entry(file, "contexts", "context", current);
  if (!context) return std::unexpected(context.error());
  auto cluster = entry(file, "clusters", "cluster", text_at(*context, {"cluster"}));
  if (!cluster) return std::unexpected(cluster.error());
  Config config;
  if (auto ok = take_cluster(*cluster, folder, config); !ok) return std::unexpected(ok.error());
  if (const auto name = text_at(*context, {"user"}); !name.empty()) {
    auto user = entry(file, "users", "user", name);
    if (!user) return std::unexpected(user.error());
    if (auto ok = take_user(*user, folder, config); !ok) return std::unexpected(ok.error());
  }
  if (auto ns = text_at(*context, {"namespace"}); !ns.empty()) config.default_namespace = ns;
  return config;
}

Result<Config> in_cluster_config(const fs::path& folder, const std::string& host,
                                 const std::string& port) {
  Config config;
  const bool ipv6 = host.find(':') != std::string::npos;
  config.server = "https://" + (ipv6 ? "[" + host + "]" : host) + ":" + port;
  config.token_file = folder / "token";
  auto token = read(config.token_file);
  if (!token) return fail(token.error().kind, "load service account: " + token.error().message);
  auto ca = read(folder / "ca.crt");
  if (!ca) return fail(ca.error().kind, "load service account: " + ca.error().message);
  config.ca_pem = *ca;
  if (auto ns = read(folder / "namespace"); ns && !trimmed(*ns).empty()) {
    config.default_namespace = trimmed(*ns);
  }
  if (auto endpoint = parse_server(config.server); !endpoint) {
    return std::unexpected(endpoint.error());
  }
  return config;
}

Result<Config> load_config(const std::string& kubeconfig_path) {
  if (!kubeconfig_path.empty()) return load_kubeconfig(kubeconfig_path);
  const auto list = environment("KUBECONFIG");
  if (const auto first = list.substr(0, list.find(':')); !first.empty()) {
    return load_kubeconfig(first);
  }
  const auto host = environment("KUBERNETES_SERVICE_HOST");
  const auto port = environment("KUBERNETES_SERVICE_PORT");
  if (!host.empty() && !port.empty()) return in_cluster_config(kServiceAccount, host, port);
  const auto home = environment("HOME");
  const auto usual = fs::path(home) / ".kube" / "config";
  std::error_code ignored;
  if (!home.empty() && fs::exists(usual, ignored)) return load_kubeconfig(usual);
  return fail(ErrorKind::NotFound,
              "find the API server: no --kubeconfig, no $KUBECONFIG, no service account of a pod "
              "and no ~/.kube/config");
}

}  // namespace mc::kube
