#pragma once
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "e2e/stories/admission_load.h"
#include "tests/support/kubectl.h"

namespace mc::e2e {

// The operator as an admin installs it, by Helm, with certificates that live for minutes, and asked
// for admissions all the while. One for the whole program; a release that is there already is used
// as it is.
class Installation {
 public:
  static Installation& get();

  void install();
  // What the whole run has shown: asserts on it, and prints the figures.
  void judge();

  const test::Kubectl& kubectl() const { return kubectl_; }  // in the release's namespace
  AdmissionLoad::Counts load() const { return load_->counts(); }
  // From `helm install` to the first admission; nothing where it was installed before.
  std::optional<std::chrono::duration<double>> first_admission() const { return first_; }
  // The values that it was installed with, for `helm upgrade`.
  std::vector<std::string> values() const;

 private:
  Installation();

  test::Kubectl kubectl_;
  std::optional<AdmissionLoad> load_;
  std::optional<std::chrono::duration<double>> first_;
};

}  // namespace mc::e2e
