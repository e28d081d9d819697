#include "common/kube/config.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include "common/base/json.h"
#include "tests/support/must.h"
#include "tests/support/temporary_folder.h"

namespace mc::kube {
namespace {

namespace fs = std::filesystem;
using test::must;

// A temporary folder for each test.
class ConfigTest : public testing::Test {
 protected:
  ConfigTest() {
    for (const char* name : {"KUBECONFIG", "KUBERNETES_SERVICE_HOST", "KUBERNETES_SERVICE_PORT"}) {
      unsetenv(name);
    }
    setenv("HOME", folder_.path().c_str(), 1);
  }

  fs::path write(const fs::path& name, const std::string& text) const {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << text;
    return folder_ / name;
  }

  test::TemporaryFolder folder_;
};

// JSON is YAML.
json kubeconfig(const json& cluster, const json& user) {
  return {{"current-context", "c"},
          {"contexts",
           {{{"name", "other"}, {"context", {{"cluster", "no"}}}},
            {{"name", "c"}, {"context", {{"cluster", "k"}, {"user", "u"}}}}}},
          {"clusters", {{{"name", "k"}, {"cluster", cluster}}}},
          {"users", {{{"name", "u"}, {"user", user}}}}};
}

Result<Config> parsed(const json& file) { return parse_kubeconfig(file.dump(), "/nowhere"); }

std::string error_of(const json& cluster, const json& user) {
  auto config = parsed(kubeconfig(cluster, user));
  return config ? "" : config.error().message;
}

const json kServer = {{"server", "https://k:6443"}};

TEST(ParseServer, TakesAddressesApart) {
  const struct {
    const char* url;
    bool tls;
    const char* host;
    int port;
    const char* prefix;
  } cases[] = {
      {"https://10.96.0.1:6443", true, "10.96.0.1", 6443, ""},
      {"https://API.Example.org", true, "api.example.org", 443, ""},
      {"https://[fd00::1]:443/", true, "fd00::1", 443, ""},
      {"https://[fd00::1]", true, "fd00::1", 443, ""},
      {"https://rancher/k8s/clusters/c-1/", true, "rancher", 443, "/k8s/clusters/c-1"},
      {"http://127.0.0.1:8080", false, "127.0.0.1", 8080, ""},
      {"http://localhost", false, "localhost", 80, ""},
      {"http://[::1]:1", false, "::1", 1, ""},
  };
  for (const auto& one : cases) {
    auto endpoint = parse_server(one.url);
    ASSERT_TRUE(endpoint) << endpoint.error().message;
    EXPECT_EQ(endpoint->tls, one.tls) << one.url;
    EXPECT_EQ(endpoint->host, one.host) << one.url;
    EXPECT_EQ(endpoint->port, one.port) << one.url;
    EXPECT_EQ(endpoint->prefix, one.prefix) << one.url;
  }
}

TEST(ParseServer, RefusesWhatItCannotReach) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "server \"\": must start with https://"},
      {"10.0.0.1:6443", "server \"10.0.0.1:6443\": must start with https://"},
      {"http://10.0.0.1",
       "server \"http://10.0.0.1\": must start with https:// (http only to loopback)"},
      {"https://:6443", "server \"https://:6443\": has no host name"},
      {"https://a:b", "server \"https://a:b\": has a bad port"},
      {"https://a:0", "server \"https://a:0\": has a bad port"},
      {"https://a:70000", "server \"https://a:70000\": has a bad port"},
      {"https://[::1", "server \"https://[::1\": has no ] after its IPv6 address"},
      {"https://[::1]x", "server \"https://[::1]x\": has no port after its address"},
  };
  for (const auto& [url, message] : cases) {
    auto endpoint = parse_server(url);
    ASSERT_FALSE(endpoint) << url;
    EXPECT_EQ(endpoint.error().message, message);
    EXPECT_EQ(endpoint.error().kind, ErrorKind::Invalid);
  }
}

TEST(ParseServer, RefusesCredentialsAndQuotesNoneOfThem) {
  for (const char* url :
       {"https://a@b", "https://admin:hunter2@api:6443", "https://admin:hunt/er2@api:6443",
        "https://admin:hunt?er2@api", "https://:hunter2@[::1]:6443", "http://admin:hunter2@api",
        "admin:hunter2@api:6443", "https://admin:hunter2@", "https://[hunter2@"}) {
    auto endpoint = parse_server(url);
    ASSERT_FALSE(endpoint) << url;
    EXPECT_EQ(endpoint.error().message, "server: must not contain a user name or password");
    EXPECT_EQ(endpoint.error().kind, ErrorKind::Invalid);
  }
  EXPECT_EQ(parse_server("https://proxy/of/a@b")->prefix, "/of/a@b");
}

TEST(Kubeconfig, GivesTheCurrentContext) {
  auto file = kubeconfig({{"server", "https://k:6443"}, {"certificate-authority-data", "Y2E="}},
                         {{"token", " secret\n"}});
  file["contexts"][1]["context"]["namespace"] = "hpc";
  const Config config = must(parsed(file));
  EXPECT_EQ(config.server, "https://k:6443");
  EXPECT_EQ(config.ca_pem, "ca");
  EXPECT_EQ(config.token, "secret");
  EXPECT_EQ(config.default_namespace, "hpc");
  EXPECT_FALSE(config.insecure_skip_tls_verify);
}

TEST(Kubeconfig, TakesClientCertificatesAsData) {
  const Config config = must(parsed(kubeconfig(
      kServer, {{"client-certificate-data", "Y2VydA=="}, {"client-key-data", "a2V5\n"}})));
  EXPECT_EQ(config.client_certificate_pem, "cert");
  EXPECT_EQ(config.client_key_pem, "key");
  EXPECT_EQ(config.default_namespace, "default");
}

TEST(Kubeconfig, NeedsNoUser) {
  auto file = kubeconfig(kServer, json::object());
  file["contexts"][1]["context"].erase("user");
  EXPECT_TRUE(parsed(file));
}

TEST(Kubeconfig, SkipsVerificationOnlyIfItSaysSo) {
  auto cluster = kServer;
  cluster["insecure-skip-tls-verify"] = true;
  EXPECT_TRUE(must(parsed(kubeconfig(cluster, json::object()))).insecure_skip_tls_verify);
  cluster["certificate-authority-data"] = "Y2E=";
  EXPECT_EQ(error_of(cluster, json::object()),
            "certificate-authority and insecure-skip-tls-verify exclude each other");
}

TEST(Kubeconfig, SaysWhatIsMissing) {
  const json good = kubeconfig(kServer, json::object());
  const std::tuple<json, const char*> cases[] = {
      {{{"current-context", nullptr}}, "current-context is not set"},
      {{{"current-context", "x"}}, "no context \"x\" in contexts"},
      {{{"clusters", nullptr}}, "no cluster \"k\" in clusters"},
      {{{"users", {1, {{"name", "v"}}}}}, "no user \"u\" in users"},
      {{{"clusters", {{{"name", "k"}}}}}, "server \"\": must start with https://"},
  };
  for (const auto& [change, message] : cases) {
    auto file = good;
    file.merge_patch(change);
    auto config = parsed(file);
    ASSERT_FALSE(config) << change;
    EXPECT_EQ(config.error().message, message);
  }
  EXPECT_EQ(parse_kubeconfig("[1]", "").error().message, "is not one YAML mapping");
}

TEST(Kubeconfig, RefusesWhatWouldActAsAnotherUser) {
  const std::string end =
      " is not supported: use a token, a token file or a client certificate, and a direct "
      "connection";
  EXPECT_EQ(error_of(kServer, {{"exec", {{"command", "aws"}}}}), "exec" + end);
  EXPECT_EQ(error_of(kServer, {{"auth-provider", {{"name", "oidc"}}}}), "auth-provider" + end);
  EXPECT_EQ(error_of(kServer, {{"username", "admin"}}), "username" + end);
  EXPECT_EQ(error_of(kServer, {{"as", "admin"}}), "as" + end);
  EXPECT_EQ(error_of({{"server", "https://k"}, {"proxy-url", "http://p"}}, {}), "proxy-url" + end);
  EXPECT_EQ(error_of(kServer, {{"exec", nullptr}, {"as-groups", json::array()}}), "");
}

TEST(Kubeconfig, SaysWhichCredentialIsBadButNotWhatItHolds) {
  EXPECT_EQ(error_of({{"server", "https://k"}, {"certificate-authority-data", "%%%"}}, {}),
            "certificate-authority-data is not base64");
  EXPECT_EQ(error_of(kServer, {{"client-key-data", "a2V5"}}),
            "client-certificate and client-key must both be set");
  EXPECT_EQ(error_of({{"server", "https://k"}, {"certificate-authority", "ca.crt"}}, {}),
            "cannot read /nowhere/ca.crt: No such file or directory");
}

TEST_F(ConfigTest, PathsAreRelativeToTheKubeconfig) {
  write("sub/ca.crt", "CA");
  const auto absolute = write("elsewhere/tls.key", "KEY");
  write("sub/tls.crt", "CERT");
  const auto path =
      write("sub/config", kubeconfig({{"server", "https://k"}, {"certificate-authority", "ca.crt"}},
                                     {{"client-certificate", "./tls.crt"},
                                      {"client-key", absolute.string()},
                                      {"tokenFile", "token"}})
                              .dump());
  const Config config = must(load_config(path.string()));
  EXPECT_EQ(config.ca_pem, "CA");
  EXPECT_EQ(config.client_certificate_pem, "CERT");
  EXPECT_EQ(config.client_key_pem, "KEY");
  EXPECT_EQ(config.token_file, folder_ / "sub" / "token");
}

TEST_F(ConfigTest, ThePodsServiceAccountIsTaken) {
  write("token", "t");
  write("ca.crt", "CA");
  write("namespace", "operators\n");
  const Config config = must(in_cluster_config(folder_.path(), "fd00::1", "443"));
  EXPECT_EQ(config.server, "https://[fd00::1]:443");
  EXPECT_EQ(config.ca_pem, "CA");
  EXPECT_EQ(config.token_file, folder_ / "token");
  EXPECT_EQ(config.default_namespace, "operators");
  EXPECT_EQ(in_cluster_config(folder_.path(), "10.96.0.1", "443")->server, "https://10.96.0.1:443");

  fs::remove(folder_ / "ca.crt");
  EXPECT_EQ(in_cluster_config(folder_.path(), "10.96.0.1", "443").error().message,
            "load service account: cannot read " + (folder_ / "ca.crt").string() +
                ": No such file or directory");
}

TEST_F(ConfigTest, TheFirstSourceThatAppliesWins) {
  const auto file = [&](const char* name, const char* server) {
    return write(name, kubeconfig({{"server", server}}, json::object()).dump()).string();
  };
  EXPECT_EQ(load_config("").error().kind, ErrorKind::NotFound);
  file(".kube/config", "https://home");
  EXPECT_EQ(load_config("")->server, "https://home");
  setenv("KUBERNETES_SERVICE_HOST", "10.96.0.1", 1);
  setenv("KUBERNETES_SERVICE_PORT", "443", 1);
  EXPECT_EQ(load_config("").error().message,  // not in a pod
            "load service account: cannot read "
            "/var/run/secrets/kubernetes.io/serviceaccount/token: No such file or directory");
  setenv("KUBECONFIG", (file("a", "https://first") + ":" + file("b", "https://second")).c_str(), 1);
  EXPECT_EQ(load_config("")->server, "https://first");
  EXPECT_EQ(load_config(file("c", "https://explicit"))->server, "https://explicit");
}

TEST_F(ConfigTest, ErrorsNameTheFile) {
  const auto path = write("config", "{}").string();
  EXPECT_EQ(load_config(path).error().message,
            "load kubeconfig " + path + ": current-context is not set");
  EXPECT_EQ(load_config("/nowhere/config").error().message,
            "load kubeconfig: cannot read /nowhere/config: No such file or directory");
}

}  // namespace
}  // namespace mc::kube
