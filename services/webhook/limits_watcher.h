#pragma once
#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>

#include "common/api/validation/limits.h"
#include "common/base/guarded.h"

namespace mc::webhook {

// The limits that the controller publishes, from api::kLimitsFile in a folder. Without the file
// there are no limits; a file that cannot be read changes nothing. current() is for many threads,
// run() for one.
class LimitsWatcher {
 public:
  explicit LimitsWatcher(std::filesystem::path folder);

  std::shared_ptr<const api::PublishedLimits> current() const;  // null: no limits

  // Reads the file again until `stop`, as follow_folder().
  void run(const std::stop_token& stop);

 private:
  void refresh();

  const std::filesystem::path folder_;
  std::string last_text_;  // used by run() only, after construction
  Guarded<std::shared_ptr<const api::PublishedLimits>> current_;
};

}  // namespace mc::webhook
