#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>
#include <vector>

#include "certs/cert_watcher.h"
#include "certs/key_pair.h"
#include "tests/certs/fixture.h"
#include "tests/support/folders.h"
#include "tests/support/process.h"

namespace mc::certs {
namespace {

bool make(const std::filesystem::path& folder, const std::vector<std::string>& hosts) {
  const std::string script = test::source_dir() / "certs/dev-certificates.sh";
  std::vector<std::string> command = {"sh", script, folder};
  command.insert(command.end(), hosts.begin(), hosts.end());
  return test::run(command).code == 0;
}

unsigned mode(const std::filesystem::path& file) {
  struct stat status{};
  EXPECT_EQ(stat(file.c_str(), &status), 0) << file;
  return status.st_mode & 0777;
}

bool is_trusted(const std::filesystem::path& folder, const std::string& host) {
  const auto watcher = CertWatcher::create(folder);
  if (!watcher) return false;
  return testing::handshake([&](ssl_ctx_st& context) { return install(context, **watcher); }, 0,
                            folder / "ca.crt", host)
      .ok;
}

TEST(DevCertificates, AreTrustedForTheirHostsOnly) {
  const testing::TemporaryFolder parent;
  const auto folder = parent.path() / "with space";
  ASSERT_TRUE(make(folder, {"webhook.ns.svc", "10.0.0.7", "::1"}));
  EXPECT_TRUE(is_trusted(folder, "webhook.ns.svc"));
  EXPECT_TRUE(is_trusted(folder, "10.0.0.7"));
  EXPECT_TRUE(is_trusted(folder, "::1"));
  EXPECT_FALSE(is_trusted(folder, "other.ns.svc"));
  EXPECT_FALSE(is_trusted(folder, "127.0.0.1"));
  EXPECT_EQ(mode(folder / "tls.key"), 0600U);
  EXPECT_EQ(mode(folder / "ca.key"), 0600U);
}

TEST(DevCertificates, AreForTheLoopbackByDefaultAndKeepTheirAuthority) {
  const testing::TemporaryFolder folder;
  ASSERT_TRUE(make(folder.path(), {}));
  const auto first = KeyPair::load(folder.path() / "tls.crt", folder.path() / "tls.key");
  std::filesystem::copy(folder.path() / "ca.crt", folder.path() / "before.crt");
  ASSERT_TRUE(make(folder.path(), {}));
  const auto second = KeyPair::load(folder.path() / "tls.crt", folder.path() / "tls.key");
  ASSERT_TRUE(first && second);
  EXPECT_FALSE(*first == *second);
  std::filesystem::rename(folder.path() / "before.crt", folder.path() / "ca.crt");
  for (const auto* host : {"localhost", "127.0.0.1", "::1"}) {
    EXPECT_TRUE(is_trusted(folder.path(), host)) << host;
  }
}

}  // namespace
}  // namespace mc::certs
