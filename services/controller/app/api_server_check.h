#pragma once
#include <stop_token>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/kube/client.h"
#include "services/controller/status/dropped_fields.h"

namespace mc::controller {

// What this API server drops of a Job of ours: by a dry run, with nothing stored, which takes the
// right to create Jobs in that namespace.
[[nodiscard]] Result<std::vector<DroppedField>> ask_what_is_dropped(const kube::Client& client,
                                                                    const std::string& ns);

// Asks, and logs the answer: a warning for each field. Tried again a few times where the API server
// cannot be reached. Returns once that is done or stop is requested.
void tell_what_is_dropped(const kube::Client& client, const std::string& ns,
                          const std::stop_token& stop);

}  // namespace mc::controller
