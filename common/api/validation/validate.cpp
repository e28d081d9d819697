#include "common/api/validation/validate.h"

#include <algorithm>

#include "common/api/model/names.h"
#include "common/api/validation/shared.h"
#include "common/api/validation/text_rules.h"
#include "common/flux/hostlist.h"

namespace mc::api {
namespace {

constexpr std::int64_t kMostPods = flux::kMaxHosts;

// The limit of the API's int32 numbers.
constexpr std::int64_t kMostInt32 = 2147483647;

// A day. `kubectl drain` and a smaller size wait as long.
constexpr std::int64_t kMostDrainSeconds = 86400;
constexpr std::int64_t kMostPreemptions = 1000;

std::string at_least(std::int64_t least) {
  return "must be greater than or equal to " + std::to_string(least);
}

std::string at_most(std::int64_t most) { return std::string(kAtMost) + std::to_string(most); }

// The name that a MiniCluster will have: with generateName the API server appends five characters
// to at most 58 (k8s.io/apiserver/pkg/storage/names).
std::string expected_name(const MiniCluster& cluster) {
  if (!cluster.name.empty()) return cluster.name;
  return cluster.generate_name.substr(0, kMaxLabel - 5) + "xxxxx";
}

void validate_derived_names(const MiniCluster& cluster, const FieldPath& path,
                            const std::string& written, FieldErrors& errors) {
  const std::string name = expected_name(cluster);
  const std::string last = hostname(name, std::max<std::int64_t>(cluster.spec.max_size, 1) - 1);
  std::string longest = last;
  if (!cluster.spec.services.empty() && (name + "-services").size() > longest.size()) {
    longest = name + "-services";
  }
  if (longest.size() > kMaxLabel) {
    const std::size_t excess = longest.size() - kMaxLabel;
    errors.push_back(invalid(
        path, written,
        "must be shorter by " + std::to_string(excess) + (excess == 1 ? " byte" : " bytes") +
            ": the host name of a pod, \"" + longest + "\", may not be more than 63 bytes"));
  }
}

void validate_name(const MiniCluster& cluster, FieldErrors& errors) {
  const bool generated = cluster.name.empty() && !cluster.generate_name.empty();
  const FieldPath path = FieldPath("metadata") / (generated ? "generateName" : "name");
  const std::string& written = generated ? cluster.generate_name : cluster.name;
  if (written.empty()) {
    errors.push_back(required(path, "name or generateName is required"));
    return;
  }
  const std::string name = expected_name(cluster);
  if (const auto wrong = not_dns1123_label(name)) {
    errors.push_back(invalid(path, written, *wrong));
    return;
  }
  const std::string& headless = cluster.spec.network.headless_name;
  const bool names_the_service = headless.empty() || headless == cluster.name;
  if (const auto wrong = not_dns1035_label(name); wrong && names_the_service) {
    errors.push_back(invalid(path, written,
                             *wrong +
                                 "; the headless Service has the same name: change the name or "
                                 "set spec.network.headlessName"));
  }
  validate_derived_names(cluster, path, written, errors);
}

void validate_headless_name(const MiniCluster& cluster, FieldErrors& errors) {
  const std::string& name = cluster.spec.network.headless_name;
  if (name.empty() || name == cluster.name) return;
  if (const auto wrong = not_dns1035_label(name)) {
    errors.push_back(invalid(kSpec / "network" / "headlessName", name, *wrong));
  }
}

void validate_existing_service(const Spec& spec, FieldErrors& errors) {
  if (!spec.network.use_existing_service || !spec.flux.minimal_service) return;
  errors.push_back(forbidden(kSpec / "flux" / "minimalService",
                             "must not be set together with spec.network.useExistingService: the "
                             "existing Service decides which pods have DNS names"));
}

void validate_sizes(const Spec& spec, FieldErrors& errors) {
  const FieldPath size = kSpec / "size", min = kSpec / "minSize", max = kSpec / "maxSize";
  const std::string the_size = "spec.size (" + std::to_string(spec.size) + ")";
  if (spec.size < 1) errors.push_back(invalid(size, spec.size, at_least(1)));
  if (spec.size > kMostPods) errors.push_back(invalid(size, spec.size, at_most(kMostPods)));
  if (spec.min_size < 0) {
    errors.push_back(invalid(min, spec.min_size, at_least(0)));
  } else if (spec.size >= 1 && spec.min_size > spec.size) {
    errors.push_back(invalid(min, spec.min_size, "must be less than or equal to " + the_size));
  }
  if (spec.max_size > kMostPods) {
    errors.push_back(invalid(max, spec.max_size, at_most(kMostPods)));
  } else if (spec.max_size < 1 && spec.size >= 1) {
    errors.push_back(invalid(max, spec.max_size,
                             "must be greater than or equal to " + the_size +
                                 "; leave it out to keep the cluster at its size"));
  } else if (spec.size > spec.max_size && spec.size >= 1 && spec.size <= kMostPods) {
    errors.push_back(invalid(
        size, spec.size,
        "must be less than or equal to spec.maxSize (" + std::to_string(spec.max_size) + ")"));
  }
}

struct Range {
  std::int64_t least, most;
};

void validate_range(const FieldPath& path, std::int64_t value, Range range, FieldErrors& errors) {
  if (value < range.least) errors.push_back(invalid(path, value, at_least(range.least)));
  if (value > range.most) errors.push_back(invalid(path, value, at_most(range.most)));
}

void validate_numbers(const Spec& spec, FieldErrors& errors) {
  if (spec.tasks < 0) {
    errors.push_back(
        invalid(kSpec / "tasks", spec.tasks, at_least(0) + " (0: one task for each node)"));
  } else if (spec.tasks > kMostInt32) {
    errors.push_back(invalid(kSpec / "tasks", spec.tasks, at_most(kMostInt32)));
  }
  validate_range(kSpec / "deadlineSeconds", spec.deadline_seconds, {1, kMostDeadline}, errors);
  validate_range(kSpec / "drainSeconds", spec.drain_seconds, {0, kMostDrainSeconds}, errors);
  validate_range(kSpec / "lingerSeconds", spec.linger_seconds, {0, kMostInt32}, errors);
  if (spec.backoff_limit)
    validate_range(kSpec / "backoffLimit", *spec.backoff_limit, {0, kMostInt32}, errors);
  if (const auto& ttl = spec.ttl_seconds_after_finished) {
    validate_range(kSpec / "ttlSecondsAfterFinished", ttl->count(), {0, kMostInt32}, errors);
  }
  if (spec.flux.log_level < 0 || spec.flux.log_level > 7) {
    errors.push_back(invalid(kSpec / "flux" / "logLevel", spec.flux.log_level,
                             "must be between 0 and 7, inclusive"));
  }
}

void validate_preemptible(const Spec& spec, FieldErrors& errors) {
  if (!spec.preemptible) return;
  const FieldPath path = kSpec / "preemptible";
  validate_range(path / "maxPreemptions", spec.preemptible->max_preemptions, {1, kMostPreemptions},
                 errors);
  const auto& checkpoint = spec.preemptible->checkpoint;
  if (!checkpoint) return;
  const FieldPath seconds = path / "checkpoint" / "seconds";
  if (checkpoint->seconds == 0) {
    errors.push_back(
        required(seconds, "how long the jobs may take to end after the signal, such as 60"));
  } else {
    validate_range(seconds, checkpoint->seconds, {1, kMostDrainSeconds}, errors);
  }
  const std::string& signal = checkpoint->signal;
  if (signal.empty() || std::ranges::find(kCheckpointSignals, signal) != kCheckpointSignals.end()) {
    return;
  }
  errors.push_back(not_supported(path / "checkpoint" / "signal", signal,
                                 {kCheckpointSignals.begin(), kCheckpointSignals.end()}));
}

}  // namespace

FieldErrors validate(const MiniCluster& cluster) {
  FieldErrors errors;
  validate_name(cluster, errors);
  validate_headless_name(cluster, errors);
  validate_existing_service(cluster.spec, errors);
  validate_sizes(cluster.spec, errors);
  validate_numbers(cluster.spec, errors);
  validate_preemptible(cluster.spec, errors);
  validate_object_name(cluster.spec.priority_class_name, kSpec / "priorityClassName", errors);
  validate_pod(cluster, errors);
  validate_flux(cluster, errors);
  validate_containers(cluster, errors);
  validate_services(cluster, errors);
  validate_volumes(cluster, errors);
  validate_config_map_size(cluster.spec, errors);
  return errors;
}

}  // namespace mc::api
