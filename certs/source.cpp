#include "certs/source.h"

#include <openssl/ssl.h>

#include <array>
#include <chrono>
#include <ctime>
#include <utility>

#include "certs/folder_watch.h"

namespace mc::certs {
namespace {

constexpr std::chrono::seconds kPoll{10};

Result<KeyPair> load(const SourceHooks& hooks, const std::filesystem::path& folder) {
  const auto begin = std::chrono::steady_clock::now();
  auto pair = KeyPair::load(folder / "tls.crt", folder / "tls.key");
  hooks.read(pair.has_value(), std::chrono::steady_clock::now() - begin);
  return pair;
}

std::string describe(const std::filesystem::path& folder, const KeyPair& pair) {
  const std::time_t end = std::chrono::system_clock::to_time_t(pair.not_after());
  std::tm time{};
  gmtime_r(&end, &time);
  std::array<char, 32> text{};
  const std::size_t size = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &time);
  return "the certificate in " + folder.string() + ", valid until " +
         std::string(text.data(), size);
}

void report(const SourceHooks& hooks, const std::filesystem::path& folder, const KeyPair& pair) {
  const bool expired = pair.expired(std::chrono::system_clock::now());
  hooks.log(expired, "Serving " + describe(folder, pair) + (expired ? "; it has expired" : ""));
}

// Called within each handshake.
int show_current(SSL* connection, void* source) {
  return static_cast<const Source*>(source)->current()->apply(*connection) ? 1 : 0;
}

}  // namespace

Result<std::unique_ptr<Source>> Source::create(std::filesystem::path folder, SourceHooks hooks) {
  Result<KeyPair> pair = load(hooks, folder);
  if (!pair) return std::unexpected(pair.error());
  report(hooks, folder, *pair);
  return std::unique_ptr<Source>(new Source(std::move(folder), std::move(hooks), *std::move(pair)));
}

Source::Source(std::filesystem::path folder, SourceHooks hooks, KeyPair pair)
    : folder_(std::move(folder)),
      hooks_(std::move(hooks)),
      current_(std::make_shared<const KeyPair>(std::move(pair))) {}

std::shared_ptr<const KeyPair> Source::current() const {
  return current_.with([](const auto& pair) { return pair; });
}

void Source::run(const std::stop_token& stop) {
  FolderWatch watch(folder_);
  while (!stop.stop_requested()) {
    refresh();  // the files may have changed before the watch began
    watch.wait(kPoll, stop);
  }
}

void Source::refresh() {
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

bool install(ssl_ctx_st& context, const Source& source) {
  if (SSL_CTX_set_min_proto_version(&context, TLS1_2_VERSION) != 1) return false;
  // OpenSSL passes the pointer back unchanged; nothing is written through it.
  SSL_CTX_set_cert_cb(&context, show_current, const_cast<Source*>(&source));
  return true;
}

}  // namespace mc::certs
