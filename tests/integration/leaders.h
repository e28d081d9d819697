#pragma once
#include <memory>
#include <string>

#include "tests/support/kubectl.h"
#include "tests/support/service.h"

namespace mc::test {

// Controllers with leader election, whose Lease is in the namespace of `kubectl` and lasts 6 s.
class Leaders {
 public:
  explicit Leaders(const Kubectl& kubectl) : kubectl_(kubectl) {}

  // A controller that is ready, although another one may lead. `kubeconfig`: a file; "" for that of
  // `kubectl`.
  std::unique_ptr<Service> controller(const std::string& kubeconfig = "") const;

  // A controller that leads.
  std::unique_ptr<Service> leader() const;

  // Who has the Lease; "" for nobody.
  std::string holder() const;
  // Waits until another one than `before` has it.
  [[nodiscard]] bool have_another_than(const std::string& before) const;

 private:
  const Kubectl& kubectl_;
};

}  // namespace mc::test
