#pragma once
#include <chrono>
#include <filesystem>
#include <stop_token>

namespace mc::certs {

// Waits for changes of a folder's entries (inotify). Where the system has no watch to give, waits
// still end by time. Not for more than one thread.
class FolderWatch {
 public:
  explicit FolderWatch(const std::filesystem::path& folder);
  ~FolderWatch();
  FolderWatch(const FolderWatch&) = delete;
  FolderWatch& operator=(const FolderWatch&) = delete;

  // Returns after a change and a moment of quiet, after `longest`, or when stop is asked for.
  void wait(std::chrono::milliseconds longest, const std::stop_token& stop);

 private:
  bool wait_for_events(std::chrono::milliseconds longest, const std::stop_token& stop);

  int changes_;  // inotify; negative: none
  int wake_;     // eventfd that ends a wait
};

}  // namespace mc::certs
