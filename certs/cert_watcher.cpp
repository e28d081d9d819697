#include "certs/cert_watcher.h"

#include <openssl/ssl.h>

#include <chrono>
#include <source_location>
#include <utility>

#include "common/base/folder_watch.h"
#include "common/base/rfc3339.h"
#include "common/observe/log.h"

namespace mc::certs {
namespace {

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
  follow_folder(folder_, [this] { refresh(); }, stop);
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
