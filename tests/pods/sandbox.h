#pragma once
#include <filesystem>

namespace mc::pods {

// What a test's containers live in: a network with nothing but loopback, and a file system in
// memory. Both are of this process alone, so nothing of them outlives it.
class Sandbox {
 public:
  // Throws std::system_error; the caller must be root.
  Sandbox();
  ~Sandbox();
  Sandbox(const Sandbox&) = delete;
  Sandbox& operator=(const Sandbox&) = delete;

  const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path folder_;
};

}  // namespace mc::pods
