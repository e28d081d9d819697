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

// The operator installed with Helm, as an administrator does, with certificates that live for
// minutes and under constant admission load. One for the whole program; an existing release is used
// unchanged.
class Installation {
 public:
  static Installation& get();

  void install();
  // Asserts on the results of the whole run, and prints the figures.
  void expect_success();

  const test::Kubectl& kubectl() const { return kubectl_; }  // in the release's namespace
  AdmissionLoad& load() { return *load_; }
  // The certificates that the controller has issued since the installation, as seen in their
  // Secret.
  struct Certificates {
    std::set<std::string> leaves, authorities;
  };
  Certificates certificates() const;
  // Expects no error in the log of any pod of the release. Call it before pods are replaced, and at
  // the end.
  void expect_clean_logs() const;
  // From `helm install` to the first admission; nothing if the release already existed.
  std::optional<std::chrono::duration<double>> first_admission() const { return first_; }
  // The packaged charts that e2e/run.sh names: of this version and of the previous minor version.
  std::string chart() const;
  std::string previous_chart() const;
  // The values of the installation, for `helm upgrade` to that chart: the previous one has not all
  // of them.
  std::vector<std::string> values(const std::string& of_chart) const;

 private:
  Installation();

  test::Kubectl kubectl_;
  std::optional<AdmissionLoad> load_;
  std::optional<test::Process> secret_;  // a watch on the webhook's Secret
  std::optional<std::chrono::duration<double>> first_;
};

}  // namespace mc::e2e
