#pragma once
#include <filesystem>

namespace mc::pods {

// The environment of a test's containers: a network with only loopback, and a file system in
// memory. Both are private to this process and end with it.
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
