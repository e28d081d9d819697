#include "certs/cert_watcher.h"

#include <gtest/gtest.h>
#include <openssl/ssl.h>

#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "common/base/rfc3339.h"
#include "tests/certs/fixture.h"
#include "tests/support/must.h"

namespace mc::certs {
namespace {

namespace fs = std::filesystem;
using testing::make_pem;

using testing::write_file;

// Less than the polling interval: a change seen within it came from the folder's watch.
constexpr std::chrono::seconds kPatience{8};

// Records what a watcher reports, and waits for it.
class Record {
 public:
  CertWatcherHooks hooks() {
    return {.on_read =
                [this](bool ok, auto) {
                  const std::scoped_lock lock(mutex_);
                  ++(ok ? good_ : bad_);
                  changed_.notify_all();
                },
            .log =
                [this](bool is_error, const std::string& message) {
                  const std::scoped_lock lock(mutex_);
                  lines_.push_back((is_error ? "error: " : "info: ") + message);
                  changed_.notify_all();
                }};
  }
  bool wait_for_lines(std::size_t count) {
    return wait_until([&] { return lines_.size() >= count; });
  }
  bool wait_for_good(int count) {
    return wait_until([&] { return good_ >= count; });
  }
  bool wait_for_bad(int count) {
    return wait_until([&] { return bad_ >= count; });
  }
  std::vector<std::string> lines() {
    const std::scoped_lock lock(mutex_);
    return lines_;
  }
  int good() {
    const std::scoped_lock lock(mutex_);
    return good_;
  }

 private:
  bool wait_until(const std::function<bool()>& condition) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, kPatience, condition);
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> lines_;
  int good_ = 0, bad_ = 0;
};

// A Secret's mount, as the kubelet creates and swaps it.
class Mount {
 public:
  Mount(fs::path folder, const Pem& pem) : folder_(std::move(folder)) {
    swap(pem);
    fs::create_symlink("..data/tls.crt", folder_ / "tls.crt");
    fs::create_symlink("..data/tls.key", folder_ / "tls.key");
  }
  void swap(const Pem& pem) {
    const std::string version = "..2026_" + std::to_string(++version_);
    fs::create_directory(folder_ / version);
    write_file(folder_ / version / "tls.crt", pem.certificate);
    write_file(folder_ / version / "tls.key", pem.key);
    fs::create_directory_symlink(version, folder_ / "..data_tmp");
    fs::rename(folder_ / "..data_tmp", folder_ / "..data");
    if (version_ > 1) fs::remove_all(folder_ / ("..2026_" + std::to_string(version_ - 1)));
  }

 private:
  fs::path folder_;
  int version_ = 0;
};

class CertWatcherTest : public ::testing::Test {
 protected:
  std::unique_ptr<CertWatcher> start(const Pem& pem) {
    mount_.emplace(folder_.path(), pem);
    return test::must(CertWatcher::create(folder_.path(), record_.hooks()));
  }
  static testing::Handshake connect(const CertWatcher& watcher, int client_max_version = 0) {
    const auto prepare = [&](ssl_ctx_st& context) {
      SSL_CTX_set_security_level(&context, 0);  // the default would also refuse old versions
      return install(context, watcher);
    };
    return testing::handshake(prepare, client_max_version);
  }

  // Starts a thread in run() and waits for its first read: the watch then reports later changes.
  std::jthread follow(CertWatcher& watcher) {
    const int before = record_.good();
    std::jthread follower([&watcher](const std::stop_token& stop) { watcher.run(stop); });
    EXPECT_TRUE(record_.wait_for_good(before + 1));
    return follower;
  }

  testing::TemporaryFolder folder_;
  std::optional<Mount> mount_;
  Record record_;
};

TEST_F(CertWatcherTest, ShowsThePairOfItsFolder) {
  const Pem a = make_pem("first"), issuer = make_pem("issuer");
  const auto watcher = start({a.certificate + issuer.certificate, a.key});
  const testing::Handshake shown = connect(*watcher);
  EXPECT_TRUE(shown.ok);
  EXPECT_EQ(shown.server_name, "first");
  EXPECT_EQ(shown.chain_length, 2);
  EXPECT_EQ(shown.protocol, "TLSv1.3");
  EXPECT_EQ(record_.good(), 1);
}

TEST_F(CertWatcherTest, SpeaksTls12AndNothingOlder) {
  const auto watcher = start(make_pem("first"));
  EXPECT_TRUE(connect(*watcher, TLS1_2_VERSION).ok);
  EXPECT_FALSE(connect(*watcher, TLS1_1_VERSION).ok);
}

TEST_F(CertWatcherTest, NewHandshakesGetTheNewPairAfterTheKubeletsSwap) {
  const auto watcher = start(make_pem("first"));
  const std::jthread follower = follow(*watcher);
  EXPECT_EQ(connect(*watcher).server_name, "first");
  for (const std::string name : {"second", "third"}) {
    const std::size_t lines = record_.lines().size();
    mount_->swap(make_pem(name));
    ASSERT_TRUE(record_.wait_for_lines(lines + 1)) << "nothing was seen of " << name;
    const testing::Handshake shown = connect(*watcher);
    EXPECT_TRUE(shown.ok);
    EXPECT_EQ(shown.server_name, name);
  }
  ASSERT_EQ(record_.lines().size(), 3U);
  EXPECT_EQ(record_.lines().back(), "info: Serving the certificate in " + folder_.path().string() +
                                        ", valid until " +
                                        rfc3339(watcher->current()->not_after()));
}

TEST_F(CertWatcherTest, KeepsTheOldPairWhileTheNewOneIsBroken) {
  const Pem first = make_pem("first"), second = make_pem("second");
  const auto watcher = start(first);
  const std::jthread follower = follow(*watcher);
  const std::string kept = "error: Keeping the current certificate: ";
  const std::string crt = folder_.path() / "tls.crt", key = folder_.path() / "tls.key";

  mount_->swap({second.certificate, first.key});
  ASSERT_TRUE(record_.wait_for_lines(2));
  EXPECT_EQ(record_.lines().back(), kept + key + " is not the key of the certificate in " + crt);
  EXPECT_EQ(connect(*watcher).server_name, "first");

  fs::rename(folder_.path() / "tls.key", folder_.path() / "gone");
  ASSERT_TRUE(record_.wait_for_lines(3));
  EXPECT_EQ(record_.lines().back(), kept + "cannot read " + key + ": No such file or directory");
  EXPECT_EQ(connect(*watcher).server_name, "first");

  write_file(folder_.path() / "unrelated", "");
  ASSERT_TRUE(record_.wait_for_bad(3));
  EXPECT_EQ(record_.lines().size(), 3U) << "the same trouble is reported once";

  fs::rename(folder_.path() / "gone", folder_.path() / "tls.key");
  mount_->swap(second);
  ASSERT_TRUE(record_.wait_for_lines(4));
  EXPECT_EQ(connect(*watcher).server_name, "second");
}

TEST_F(CertWatcherTest, TakesFilesThatAreReplacedOneByOne) {
  const Pem first = make_pem("first"), second = make_pem("second");
  write_file(folder_.path() / "tls.crt", first.certificate);
  write_file(folder_.path() / "tls.key", first.key);
  const auto watcher = test::must(CertWatcher::create(folder_.path(), record_.hooks()));
  const std::jthread follower = follow(*watcher);
  write_file(folder_.path() / "tls.key", second.key);
  write_file(folder_.path() / "tls.crt", second.certificate);
  std::size_t lines = 1;
  while (connect(*watcher).server_name != "second" && record_.wait_for_lines(++lines)) continue;
  EXPECT_EQ(connect(*watcher).server_name, "second");
}

TEST_F(CertWatcherTest, ReportsAnExpiredPairAndServesIt) {
  const auto watcher = start(make_pem("old", -std::chrono::hours(1)));
  ASSERT_EQ(record_.lines().size(), 1U);
  EXPECT_TRUE(record_.lines()[0].starts_with("error: Serving ")) << record_.lines()[0];
  EXPECT_TRUE(record_.lines()[0].ends_with("; it has expired")) << record_.lines()[0];
  EXPECT_EQ(connect(*watcher).server_name, "old");
}

TEST_F(CertWatcherTest, IsNotCreatedWithoutAPair) {
  const auto watcher = CertWatcher::create(folder_.path() / "nowhere", record_.hooks());
  ASSERT_FALSE(watcher);
  EXPECT_EQ(watcher.error().message, "cannot read " + folder_.path().string() +
                                         "/nowhere/tls.crt: No such file or directory");
  EXPECT_TRUE(record_.wait_for_bad(1));
}

TEST_F(CertWatcherTest, StopsWhenAsked) {
  const auto watcher = start(make_pem("first"));
  std::jthread follower = follow(*watcher);
  const auto before = std::chrono::steady_clock::now();
  follower.request_stop();
  follower.join();
  EXPECT_LT(std::chrono::steady_clock::now() - before, kPatience);
}

TEST_F(CertWatcherTest, SwapsWhileHandshakesGoOn) {
  const Pem first = make_pem("first"), second = make_pem("second");
  const auto watcher = start(first);
  const std::jthread follower = follow(*watcher);
  std::vector<std::jthread> clients;
  for (int i = 0; i < 4; ++i) {
    clients.emplace_back([&](const std::stop_token& stop) {
      while (!stop.stop_requested()) EXPECT_TRUE(connect(*watcher).ok);
    });
  }
  mount_->swap(second);
  EXPECT_TRUE(record_.wait_for_lines(2));
  clients.clear();
  EXPECT_EQ(connect(*watcher).server_name, "second");
}

}  // namespace
}  // namespace mc::certs
