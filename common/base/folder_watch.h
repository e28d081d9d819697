#pragma once
#include <chrono>
#include <filesystem>
#include <functional>
#include <stop_token>

namespace mc {

// Waits for changes to a folder's entries (inotify). If the system has no watch left, a wait ends
// only by time. Not thread safe.
class FolderWatch {
 public:
  explicit FolderWatch(const std::filesystem::path& folder);
  ~FolderWatch();
  FolderWatch(const FolderWatch&) = delete;
  FolderWatch& operator=(const FolderWatch&) = delete;

  // Returns when changes have settled (files that are written one after the other are complete),
  // after `longest`, or when stop is requested.
  void wait(std::chrono::milliseconds longest, const std::stop_token& stop);

 private:
  bool wait_for_events(std::chrono::milliseconds longest, const std::stop_token& stop);

  int changes_;  // inotify descriptor; negative: none
  int wake_;     // eventfd that ends a wait
};

// Calls `read` until stop is requested: at the begin, when the folder has changed (also on the swap
// of `..data` in a mounted Secret or ConfigMap), and every 10 seconds.
void follow_folder(const std::filesystem::path& folder, const std::function<void()>& read,
                   const std::stop_token& stop);

}  // namespace mc
