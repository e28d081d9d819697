#pragma once
#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "certs/key_pair.h"
#include "common/base/guarded.h"
#include "common/base/result.h"

struct ssl_ctx_st;  // OpenSSL's SSL_CTX

namespace mc::certs {

// A line of the program's log.
void log_message(bool is_error, const std::string& message);

// Called from create() and run().
struct CertWatcherHooks {
  // The files were read; `ok`: they hold a usable pair.
  std::function<void(bool ok, std::chrono::duration<double> took)> on_read = [](bool, auto) {};
  // A sentence for the log: a new pair is served, or why the old one is kept. Never contains a key.
  std::function<void(bool is_error, const std::string& message)> log = log_message;
};

// The current key pair of a server: tls.crt and tls.key in a folder (--cert-dir). It is reloaded
// when the files change, so a renewed certificate needs no restart. current() is for many threads,
// run() for one.
class CertWatcher {
 public:
  // Fails if there is no usable pair at the start.
  [[nodiscard]] static Result<std::unique_ptr<CertWatcher>> create(std::filesystem::path folder,
                                                                   CertWatcherHooks hooks = {});
  CertWatcher(const CertWatcher&) = delete;
  CertWatcher& operator=(const CertWatcher&) = delete;

  std::shared_ptr<const KeyPair> current() const;

  // Reloads the files until `stop`: at once when the folder changes (also on a Secret mount's swap
  // of `..data`), and every 10 seconds. A broken or missing pair is reported once, and the old one
  // stays.
  void run(const std::stop_token& stop);

 private:
  CertWatcher(std::filesystem::path folder, CertWatcherHooks hooks, KeyPair pair);
  void refresh();

  // Constant.
  const std::filesystem::path folder_;
  const CertWatcherHooks hooks_;
  // Used by run() only.
  std::string last_error_;
  // Guarded.
  Guarded<std::shared_ptr<const KeyPair>> current_;
};

// Makes every new connection of a server present the current pair, with TLS 1.2 or newer.
// The watcher must outlive the context. False if OpenSSL fails.
bool install(ssl_ctx_st& context, const CertWatcher& watcher);

}  // namespace mc::certs
