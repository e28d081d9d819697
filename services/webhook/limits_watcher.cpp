#include "services/webhook/limits_watcher.h"

#include <optional>
#include <utility>

#include "common/base/file.h"
#include "common/base/folder_watch.h"
#include "common/observe/log.h"

namespace mc::webhook {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 20;  // of a ConfigMap

}  // namespace

LimitsWatcher::LimitsWatcher(std::filesystem::path folder) : folder_(std::move(folder)) {
  refresh();
}

std::shared_ptr<const api::PublishedLimits> LimitsWatcher::current() const {
  return current_.with([](const auto& limits) { return limits; });
}

void LimitsWatcher::run(const std::stop_token& stop) {
  follow_folder(folder_, [this] { refresh(); }, stop);
}

void LimitsWatcher::refresh() {
  const std::filesystem::path file = folder_ / api::kLimitsFile;
  const auto read = read_file(file, kMostBytes);
  const bool is_missing = !read && read.error().kind == ErrorKind::NotFound;
  const std::string text = read ? *read : is_missing ? "" : "?";
  if (text == last_text_) return;
  last_text_ = text;
  const auto limits = api::read_limits(text);
  if (!limits && !is_missing) {
    log::error("Keeping the current limits: the file is not readable", {{"file", file.string()}});
    return;
  }
  log::info(limits ? "Refusing what can never fit" : "There are no limits",
            {{"fluxsetup", limits ? limits->setup : ""}});
  current_.with([&](auto& current) {
    current = limits ? std::make_shared<const api::PublishedLimits>(*limits) : nullptr;
  });
}

}  // namespace mc::webhook
