#pragma once
#include <cstddef>
#include <string>

#include "services/controller/admission/setups.h"
#include "services/controller/quota/usage.h"

// The status of FluxSetups. Pure. `now` is RFC 3339 in UTC.
namespace mc::controller::admission {

// What the FluxSetup in force counts.
struct Counts {
  api::Amounts used;
  std::size_t admitted = 0, waiting = 0;
};

json status_in_force(const json& setup, const Counts& counts, const std::string& now);
// A valid one that a newer one, `by`, has replaced.
json status_superseded(const json& setup, const std::string& by, const std::string& now);
json status_invalid(const InvalidSetup& setup, const std::string& now);

// Whether it is kept when a newer one replaces it (kKeepAnnotation).
bool is_kept(const json& setup);

// The annotation of `setup` after it has replaced `old`: the name and the spec of each that it
// replaced, the last first. What is more than 64 KiB is left out.
std::string replaced_annotation(const json& setup, const json& old);

}  // namespace mc::controller::admission
