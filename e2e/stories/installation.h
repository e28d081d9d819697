#pragma once
#include <chrono>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "e2e/stories/admission_load.h"
#include "tests/support/kubectl.h"
#include "tests/support/process.h"

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
  // The certificates that the controller has made since then, as their Secret showed them.
  struct Certificates {
    std::set<std::string> leaves, authorities;
  };
  Certificates certificates() const;
  // No error is in the log of any pod of the release; before pods are replaced, and in the end.
  void expect_clean_logs() const;
  // From `helm install` to the first admission; nothing where it was installed before.
  std::optional<std::chrono::duration<double>> first_admission() const { return first_; }
  // The packaged charts that e2e/run.sh names: of this version, and of the minor version before.
  std::string chart() const;
  std::string previous_chart() const;
  // The values that it was installed with, for `helm upgrade`.
  std::vector<std::string> values() const;

 private:
  Installation();

  test::Kubectl kubectl_;
  std::optional<AdmissionLoad> load_;
  std::optional<test::Process> secret_;  // a watch on the webhook's Secret
  std::optional<std::chrono::duration<double>> first_;
};

}  // namespace mc::e2e
