#pragma once
#include <cstddef>
#include <string>

#include "services/controller/queueing/policy.h"
#include "services/controller/queueing/usage.h"

// The status of FluxSetups. Pure. `now` is RFC 3339 in UTC.
namespace mc::controller::queueing {

// What the FluxSetup in force counts.
struct Counts {
  api::Amounts used;
  std::size_t admitted = 0, waiting = 0;
};

json status_in_force(const FluxSetup& setup, const Counts& counts, const std::string& now);
// A valid one that a newer one, `by`, has replaced.
json status_superseded(const FluxSetup& setup, const std::string& by, const std::string& now);
json status_invalid(const FluxSetup& setup, const std::string& now);

// The annotation kReplacedAnnotation of a FluxSetup, which was `before`, after it has replaced
// `old`: the name and the spec of each that it replaced, the last first. What is more than 64 KiB
// is left out.
std::string replaced_annotation(const std::string& before, const FluxSetup& old);

}  // namespace mc::controller::queueing
