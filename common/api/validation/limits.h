#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "common/api/model/field.h"
#include "common/api/model/minicluster.h"
#include "common/api/model/quantity.h"

namespace mc::api {

// What the controller publishes of the FluxSetup in force, for admission: the limits of all
// namespaces together.
struct PublishedLimits {
  std::string setup;  // its name
  Amounts hard;

  friend bool operator==(const PublishedLimits&, const PublishedLimits&) = default;
};

// The file's name where the webhook mounts them.
inline constexpr const char* kLimitsFile = "limits.json";

std::string limits_text(const PublishedLimits& limits);
// Nothing if the text is not of that form.
std::optional<PublishedLimits> read_limits(std::string_view text);

// One error for each limit that the MiniCluster can never fit into. It counts the pods and what
// their containers request, at least; the controller counts exactly, and says the rest in a
// condition. `size_before`: on an update, the size before it; no error unless the size has grown.
FieldErrors validate_limits(const MiniCluster& cluster, const PublishedLimits& limits,
                            std::optional<std::int64_t> size_before);

}  // namespace mc::api
