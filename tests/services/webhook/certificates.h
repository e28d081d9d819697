#pragma once
#include <stdlib.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace mc::webhook {

// A temporary folder with ca.crt, tls.crt and tls.key for localhost and 127.0.0.1.
class Certificates {
 public:
  Certificates() {
    std::string pattern = (std::filesystem::temp_directory_path() / "certs-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
    made_ = renew();
  }
  ~Certificates() { std::filesystem::remove_all(folder_); }
  Certificates(const Certificates&) = delete;
  Certificates& operator=(const Certificates&) = delete;

  // Another key and certificate of the same authority.
  bool renew() const {
    const std::string script = MINICLUSTER_SOURCE_DIR "/certs/dev-certificates.sh";
    return std::system(
               ("sh " + script + " " + folder_ + " localhost 127.0.0.1 >/dev/null 2>&1").c_str()) ==
           0;
  }
  bool made() const { return made_; }
  const std::string& folder() const { return folder_; }
  std::string ca() const { return folder_ + "/ca.crt"; }

 private:
  std::string folder_;
  bool made_ = false;
};

}  // namespace mc::webhook
