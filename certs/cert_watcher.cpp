#include "certs/cert_watcher.h"

#include <openssl/ssl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <source_location>
#include <utility>

#include "common/base/rfc3339.h"
#include "common/observe/log.h"

namespace mc::certs {
namespace {

constexpr std::chrono::seconds kPoll{10};
// Files written one after the other are read once all are complete.
constexpr std::chrono::milliseconds kQuiet{100};
constexpr int kMaxQuietWaits = 20;

// Waits for changes to a folder's entries (inotify). If the system has no watch left, a wait ends
// only by time. Not thread safe.
class FolderWatch {
 public:
  explicit FolderWatch(const std::filesystem::path& folder);
  ~FolderWatch();
  FolderWatch(const FolderWatch&) = delete;
  FolderWatch& operator=(const FolderWatch&) = delete;

  // Returns when changes have settled, after `longest`, or when stop is requested.
  void wait(std::chrono::milliseconds longest, const std::stop_token& stop);

 private:
  bool wait_for_events(std::chrono::milliseconds longest, const std::stop_token& stop);

  int changes_;  // inotify descriptor; negative: none
  int wake_;     // eventfd that ends a wait
};

FolderWatch::FolderWatch(const std::filesystem::path& folder)
    : changes_(inotify_init1(IN_NONBLOCK | IN_CLOEXEC)), wake_(eventfd(0, EFD_CLOEXEC)) {
  constexpr std::uint32_t kEvents =
      IN_CLOSE_WRITE | IN_CREATE | IN_MOVED_TO | IN_DELETE | IN_ATTRIB;
  if (changes_ >= 0) inotify_add_watch(changes_, folder.c_str(), kEvents);
}

FolderWatch::~FolderWatch() {
  if (changes_ >= 0) close(changes_);
  if (wake_ >= 0) close(wake_);
}

void FolderWatch::wait(std::chrono::milliseconds longest, const std::stop_token& stop) {
  const std::stop_callback wake(stop, [this] { eventfd_write(wake_, 1); });
  if (!wait_for_events(longest, stop)) return;
  for (int i = 0; i < kMaxQuietWaits && wait_for_events(kQuiet, stop);) ++i;
}

// Whether there was a change.
bool FolderWatch::wait_for_events(std::chrono::milliseconds longest, const std::stop_token& stop) {
  std::array<pollfd, 2> files{{{wake_, POLLIN, 0}, {changes_, POLLIN, 0}}};
  poll(files.data(), files.size(), static_cast<int>(longest.count()));
  if (stop.stop_requested() || (files[1].revents & POLLIN) == 0) return false;
  alignas(inotify_event) std::array<char, 4096> events{};
  while (read(changes_, events.data(), events.size()) > 0) continue;
  return true;
}

Result<KeyPair> load(const CertWatcherHooks& hooks, const std::filesystem::path& folder) {
  const auto begin = std::chrono::steady_clock::now();
  auto pair = KeyPair::load(folder / "tls.crt", folder / "tls.key");
  hooks.on_read(pair.has_value(), std::chrono::steady_clock::now() - begin);
  return pair;
}

std::string describe(const std::filesystem::path& folder, const KeyPair& pair) {
  return "the certificate in " + folder.string() + ", valid until " + rfc3339(pair.not_after());
}

void report(const CertWatcherHooks& hooks, const std::filesystem::path& folder,
            const KeyPair& pair) {
  const bool expired = pair.expired(std::chrono::system_clock::now());
  hooks.log(expired, "Serving " + describe(folder, pair) + (expired ? "; it has expired" : ""));
}

// Called within each handshake.
int use_current(SSL* connection, void* watcher) {
  return static_cast<const CertWatcher*>(watcher)->current()->apply(*connection) ? 1 : 0;
}

}  // namespace

void log_message(bool is_error, const std::string& message) {
  (is_error ? observe::log::error : observe::log::info)(message, {},
                                                        std::source_location::current());
}

Result<std::unique_ptr<CertWatcher>> CertWatcher::create(std::filesystem::path folder,
                                                         CertWatcherHooks hooks) {
  Result<KeyPair> pair = load(hooks, folder);
  if (!pair) return std::unexpected(pair.error());
  report(hooks, folder, *pair);
  return std::unique_ptr<CertWatcher>(
      new CertWatcher(std::move(folder), std::move(hooks), *std::move(pair)));
}

CertWatcher::CertWatcher(std::filesystem::path folder, CertWatcherHooks hooks, KeyPair pair)
    : folder_(std::move(folder)),
      hooks_(std::move(hooks)),
      current_(std::make_shared<const KeyPair>(std::move(pair))) {}

std::shared_ptr<const KeyPair> CertWatcher::current() const {
  return current_.with([](const auto& pair) { return pair; });
}

void CertWatcher::run(const std::stop_token& stop) {
  FolderWatch watch(folder_);
  while (!stop.stop_requested()) {
    refresh();  // the files may have changed before the watch began
    watch.wait(kPoll, stop);
  }
}

void CertWatcher::refresh() {
  Result<KeyPair> pair = load(hooks_, folder_);
  if (!pair) {
    if (pair.error().message != last_error_) {
      last_error_ = pair.error().message;
      hooks_.log(true, "Keeping the current certificate: " + last_error_);
    }
    return;
  }
  last_error_.clear();
  if (*pair == *current()) return;
  auto next = std::make_shared<const KeyPair>(*std::move(pair));
  current_.with([&](auto& live) { live = next; });
  report(hooks_, folder_, *next);
}

bool install(ssl_ctx_st& context, const CertWatcher& watcher) {
  if (SSL_CTX_set_min_proto_version(&context, TLS1_2_VERSION) != 1) return false;
  // OpenSSL passes the pointer back unchanged; nothing is written through it.
  SSL_CTX_set_cert_cb(&context, use_current, const_cast<CertWatcher*>(&watcher));
  return true;
}

}  // namespace mc::certs
