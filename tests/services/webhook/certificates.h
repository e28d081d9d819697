#pragma once
#include <string>

#include "tests/support/folders.h"
#include "tests/support/process.h"
#include "tests/support/temporary_folder.h"

namespace mc::webhook {

// A temporary folder with ca.crt, tls.crt and tls.key for localhost and 127.0.0.1.
class Certificates {
 public:
  Certificates() : made_(renew()) {}

  // Issues a new key and certificate from the same authority.
  bool renew() const {
    const std::string script = test::source_dir() / "certs/dev-certificates.sh";
    return test::run({"sh", script, folder_, "localhost", "127.0.0.1"}).code == 0;
  }
  bool made() const { return made_; }
  const std::string& folder() const { return folder_; }
  std::string ca() const { return folder_ + "/ca.crt"; }

 private:
  test::TemporaryFolder temporary_;
  std::string folder_ = temporary_.path().string();
  bool made_;
};

}  // namespace mc::webhook
