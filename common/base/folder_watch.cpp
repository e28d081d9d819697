#include "common/base/folder_watch.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <cstdint>

namespace mc {
namespace {

constexpr std::chrono::milliseconds kQuiet{100};
constexpr int kMaxQuietWaits = 20;

}  // namespace

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

void follow_folder(const std::filesystem::path& folder, const std::function<void()>& read,
                   const std::stop_token& stop) {
  constexpr std::chrono::seconds kLongest{10};
  FolderWatch watch(folder);
  while (!stop.stop_requested()) {
    read();  // the files may have changed before the watch began
    watch.wait(kLongest, stop);
  }
}

}  // namespace mc
