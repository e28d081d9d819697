#include "certs/source.h"

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

#include "tests/certs/fixture.h"

namespace mc::certs {
namespace {

namespace fs = std::filesystem;
using testing::make_pem;
using testing::Pem;
using testing::write_file;

// Less than the polling interval: a change seen within it came from the folder's watch.
constexpr std::chrono::seconds kPatience{8};

// Records what a source reports, and waits for it.
class Record {
 public:
  SourceHooks hooks() {
    return {.read =
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
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, kPatience, [&] { return lines_.size() >= count; });
  }
  bool wait_for_good(int count) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, kPatience, [&] { return good_ >= count; });
  }
  bool wait_for_bad(int count) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, kPatience, [&] { return bad_ >= count; });
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

class SourceTest : public ::testing::Test {
 protected:
  std::unique_ptr<Source> start(const Pem& pem) {
    mount_.emplace(folder_.path(), pem);
    auto source = Source::create(folder_.path(), record_.hooks());
    if (!source) ADD_FAILURE() << source.error().message;
    return source ? *std::move(source) : nullptr;
  }
  static testing::Handshake connect(const Source& source, int client_max_version = 0) {
    const auto prepare = [&](ssl_ctx_st& context) {
      SSL_CTX_set_security_level(&context, 0);  // the default would also refuse old versions
      return install(context, source);
    };
    return testing::handshake(prepare, client_max_version);
  }

  // Starts a thread in run() and waits for its first read: the watch then reports later changes.
  std::jthread follow(Source& source) {
    const int before = record_.good();
    std::jthread follower([&source](const std::stop_token& stop) { source.run(stop); });
    EXPECT_TRUE(record_.wait_for_good(before + 1));
    return follower;
  }

  testing::TemporaryFolder folder_;
  std::optional<Mount> mount_;
  Record record_;
};

TEST_F(SourceTest, ShowsThePairOfItsFolder) {
  const Pem a = make_pem("first"), issuer = make_pem("issuer");
  const auto source = start({a.certificate + issuer.certificate, a.key});
  ASSERT_TRUE(source);
  const testing::Handshake shown = connect(*source);
  EXPECT_TRUE(shown.ok);
  EXPECT_EQ(shown.server_name, "first");
  EXPECT_EQ(shown.chain_length, 2);
  EXPECT_EQ(shown.protocol, "TLSv1.3");
  EXPECT_EQ(record_.good(), 1);
}

TEST_F(SourceTest, SpeaksTls12AndNothingOlder) {
  const auto source = start(make_pem("first"));
  ASSERT_TRUE(source);
  EXPECT_TRUE(connect(*source, TLS1_2_VERSION).ok);
  EXPECT_FALSE(connect(*source, TLS1_1_VERSION).ok);
}

TEST_F(SourceTest, NewHandshakesGetTheNewPairAfterTheKubeletsSwap) {
  const auto source = start(make_pem("first"));
  ASSERT_TRUE(source);
  const std::jthread follower = follow(*source);
  EXPECT_EQ(connect(*source).server_name, "first");
  for (const std::string name : {"second", "third"}) {
    const std::size_t lines = record_.lines().size();
    mount_->swap(make_pem(name));
    ASSERT_TRUE(record_.wait_for_lines(lines + 1)) << "nothing was seen of " << name;
    const testing::Handshake shown = connect(*source);
    EXPECT_TRUE(shown.ok);
    EXPECT_EQ(shown.server_name, name);
  }
  ASSERT_EQ(record_.lines().size(), 3U);
  const std::string line = "info: Serving the certificate in " + folder_.path().string();
  EXPECT_TRUE(record_.lines().back().starts_with(line)) << record_.lines().back();
}

TEST_F(SourceTest, KeepsTheOldPairWhileTheNewOneIsBroken) {
  const Pem first = make_pem("first"), second = make_pem("second");
  const auto source = start(first);
  ASSERT_TRUE(source);
  const std::jthread follower = follow(*source);
  const std::string kept = "error: Keeping the current certificate: ";
  const std::string crt = folder_.path() / "tls.crt", key = folder_.path() / "tls.key";

  mount_->swap({second.certificate, first.key});
  ASSERT_TRUE(record_.wait_for_lines(2));
  EXPECT_EQ(record_.lines().back(), kept + key + " is not the key of the certificate in " + crt);
  EXPECT_EQ(connect(*source).server_name, "first");

  fs::rename(folder_.path() / "tls.key", folder_.path() / "gone");
  ASSERT_TRUE(record_.wait_for_lines(3));
  EXPECT_EQ(record_.lines().back(), kept + "cannot read " + key + ": No such file or directory");
  EXPECT_EQ(connect(*source).server_name, "first");

  write_file(folder_.path() / "unrelated", "");
  ASSERT_TRUE(record_.wait_for_bad(3));
  EXPECT_EQ(record_.lines().size(), 3U) << "the same trouble is reported once";

  fs::rename(folder_.path() / "gone", folder_.path() / "tls.key");
  mount_->swap(second);
  ASSERT_TRUE(record_.wait_for_lines(4));
  EXPECT_EQ(connect(*source).server_name, "second");
}

TEST_F(SourceTest, TakesFilesThatAreReplacedOneByOne) {
  const Pem first = make_pem("first"), second = make_pem("second");
  write_file(folder_.path() / "tls.crt", first.certificate);
  write_file(folder_.path() / "tls.key", first.key);
  const auto source = Source::create(folder_.path(), record_.hooks());
  ASSERT_TRUE(source);
  const std::jthread follower = follow(**source);
  write_file(folder_.path() / "tls.key", second.key);
  write_file(folder_.path() / "tls.crt", second.certificate);
  std::size_t lines = 1;
  while (connect(**source).server_name != "second" && record_.wait_for_lines(++lines)) continue;
  EXPECT_EQ(connect(**source).server_name, "second");
}

TEST_F(SourceTest, ReportsAnExpiredPairAndServesIt) {
  const auto source = start(make_pem("old", -std::chrono::hours(1)));
  ASSERT_TRUE(source);
  ASSERT_EQ(record_.lines().size(), 1U);
  EXPECT_TRUE(record_.lines()[0].starts_with("error: Serving ")) << record_.lines()[0];
  EXPECT_TRUE(record_.lines()[0].ends_with("; it has expired")) << record_.lines()[0];
  EXPECT_EQ(connect(*source).server_name, "old");
}

TEST_F(SourceTest, IsNotCreatedWithoutAPair) {
  const auto source = Source::create(folder_.path() / "nowhere", record_.hooks());
  ASSERT_FALSE(source);
  EXPECT_EQ(source.error().message, "cannot read " + folder_.path().string() +
                                        "/nowhere/tls.crt: No such file or directory");
  EXPECT_TRUE(record_.wait_for_bad(1));
}

TEST_F(SourceTest, StopsWhenAsked) {
  const auto source = start(make_pem("first"));
  ASSERT_TRUE(source);
  std::jthread follower = follow(*source);
  const auto before = std::chrono::steady_clock::now();
  follower.request_stop();
  follower.join();
  EXPECT_LT(std::chrono::steady_clock::now() - before, kPatience);
}

TEST_F(SourceTest, SwapsWhileHandshakesGoOn) {
  const Pem first = make_pem("first"), second = make_pem("second");
  const auto source = start(first);
  ASSERT_TRUE(source);
  const std::jthread follower = follow(*source);
  std::vector<std::jthread> clients;
  for (int i = 0; i < 4; ++i) {
    clients.emplace_back([&](const std::stop_token& stop) {
      while (!stop.stop_requested()) EXPECT_TRUE(connect(*source).ok);
    });
  }
  mount_->swap(second);
  EXPECT_TRUE(record_.wait_for_lines(2));
  clients.clear();
  EXPECT_EQ(connect(*source).server_name, "second");
}

}  // namespace
}  // namespace mc::certs
