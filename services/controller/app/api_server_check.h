#pragma once
#include <stop_token>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/kube/client.h"
#include "services/controller/status/dropped_fields.h"

namespace mc::controller {

// The fields of our Jobs that this API server drops, found by a dry-run create, which stores
// nothing. Needs the right to create Jobs in `ns`.
[[nodiscard]] Result<std::vector<DroppedField>> find_dropped_fields(const kube::Client& client,
                                                                    const std::string& ns);

// Asks, and logs a warning for each dropped field. Retries a few times if the API server is
// unavailable. Returns after the answer or once stop is requested.
void log_dropped_fields(const kube::Client& client, const std::string& ns,
                        const std::stop_token& stop);

}  // namespace mc::controller
