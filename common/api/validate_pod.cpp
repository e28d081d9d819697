#include <algorithm>

#include "common/api/text_rules.h"
#include "common/api/validate.h"

namespace mc::api {
namespace {

const FieldPath kSpec("spec");

void validate_keys(const StringMap& map, const FieldPath& path, FieldErrors& errors) {
  for (const auto& [key, unused] : map) {
    if (const auto wrong = not_qualified_name(key)) errors.push_back(invalid(path, key, *wrong));
  }
}

void validate_labels(const StringMap& labels, const FieldPath& path, FieldErrors& errors) {
  validate_keys(labels, path, errors);
  for (const auto& [key, value] : labels) {
    if (const auto wrong = not_label_value(value)) {
      errors.push_back(invalid(path.key(key), value, *wrong));
    }
  }
}

}  // namespace

void validate_pod(const Spec& spec, FieldErrors& errors) {
  const Pod& pod = spec.pod;
  const FieldPath path = kSpec / "pod";
  validate_labels(spec.job_labels, kSpec / "jobLabels", errors);
  validate_labels(pod.labels, path / "labels", errors);
  validate_labels(pod.node_selector, path / "nodeSelector", errors);
  validate_keys(pod.annotations, path / "annotations", errors);
  validate_pod_resources(pod.resources, path / "resources", errors);
  const auto one_of = [&](const char* name, const std::string& value,
                          const std::vector<std::string>& supported) {
    if (!value.empty() && std::ranges::find(supported, value) == supported.end()) {
      errors.push_back(not_supported(path / name, value, supported));
    }
  };
  one_of("restartPolicy", pod.restart_policy, {"Never", "OnFailure"});
  one_of("dnsPolicy", pod.dns_policy, {"ClusterFirst", "ClusterFirstWithHostNet", "Default"});
}

}  // namespace mc::api
