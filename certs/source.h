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

// Called from create() and run().
struct SourceHooks {
  // The files were read in that time; `ok` says whether a pair came of it.
  std::function<void(bool ok, std::chrono::duration<double> took)> read = [](bool, auto) {};
  // A sentence for the log: a new pair is served, or why the old one is kept. Never a key.
  std::function<void(bool is_error, const std::string& message)> log =
      [](bool /*is_error*/, const std::string& /*message*/) {};
};

// The live key pair of a server: that of tls.crt and tls.key in a folder (--cert-dir), followed as
// the files change, so that a renewed certificate needs no restart. Threads: current() from many,
// run() in one.
class Source {
 public:
  // An error when there is no usable pair to begin with.
  [[nodiscard]] static Result<std::unique_ptr<Source>> create(std::filesystem::path folder,
                                                              SourceHooks hooks = {});
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;

  std::shared_ptr<const KeyPair> current() const;

  // Follows the files until `stop`: at once where the folder changes (a Secret mount's swap of
  // `..data` too), every 10 seconds anyway. A pair that is broken or missing is reported once, and
  // the old one stays.
  void run(const std::stop_token& stop);

 private:
  Source(std::filesystem::path folder, SourceHooks hooks, KeyPair pair);
  void refresh();

  // Constant.
  const std::filesystem::path folder_;
  const SourceHooks hooks_;
  // Of the thread in run().
  std::string last_error_;
  // Guarded.
  Guarded<std::shared_ptr<const KeyPair>> current_;
};

// Makes every new connection of a server show the source's current pair, at TLS 1.2 or newer. The
// source must outlive the context. False when OpenSSL refuses.
bool install(ssl_ctx_st& context, const Source& source);

}  // namespace mc::certs
