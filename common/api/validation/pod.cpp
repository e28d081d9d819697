#include <algorithm>

#include "common/api/model/names.h"
#include "common/api/model/quantity.h"
#include "common/api/validation/labels.h"
#include "common/api/validation/shared.h"
#include "common/api/validation/text_rules.h"
#include "common/api/validation/validate.h"
#include "common/base/json.h"
#include "common/base/text.h"

namespace mc::api {
namespace {

// k8s.io/apimachinery/pkg/api/validation: keys and values of all annotations together.
constexpr std::size_t kMostAnnotations = 262144;

void validate_annotations(const StringMap& annotations, const FieldPath& path,
                          FieldErrors& errors) {
  validate_annotation_keys(annotations, path, errors);
  std::size_t size = 0;
  for (const auto& [key, value] : annotations) size += key.size() + value.size();
  if (size > kMostAnnotations) errors.push_back(too_long(path, kMostAnnotations));
}

// Maps a label to a list of values; a node must have one of them.
void validate_node_affinity(const json& affinity, const FieldPath& path, FieldErrors& errors) {
  if (!affinity.is_object()) return;
  for (const auto& [label, values] : affinity.items()) {
    if (const auto wrong = not_qualified_name(label)) {
      errors.push_back(invalid(path, label, *wrong));
      continue;
    }
    const FieldPath entry = path.key(label);
    if (!values.is_array()) {
      errors.push_back(wrong_type(entry, values,
                                  "must be a list of label values, one of which the node must "
                                  "have; put other rules in spec.pod.template"));
      continue;
    }
    if (values.empty()) errors.push_back(required(entry, "at least one value of the label"));
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!values[i].is_string()) {
        errors.push_back(wrong_type(entry[i], values[i], "must be a string; put it in quotes"));
      } else if (const auto wrong = not_label_value(values[i].get_ref<const std::string&>())) {
        errors.push_back(invalid(entry[i], values[i], *wrong));
      }
    }
  }
}

void validate_overhead(const Pod& pod, const FieldPath& path, FieldErrors& errors) {
  validate_pod_resources(pod.resources, path, errors);
  const auto is_something = [](const json& part) {
    return !part.is_null() && (!part.is_structured() || !part.empty());
  };
  const bool given = pod.resources.is_object() && std::ranges::any_of(pod.resources, is_something);
  if (given && pod.runtime_class_name.empty()) {
    errors.push_back(forbidden(path, std::string(kNoRuntimeClass)));
  }
}

void validate_choices(const Pod& pod, const FieldPath& path, FieldErrors& errors) {
  static const std::vector<std::string> kRestart = {"Never", "OnFailure"};
  static const std::vector<std::string> kDns = {"ClusterFirst", "ClusterFirstWithHostNet",
                                                "Default"};
  const auto one_of = [&](const char* name, const std::string& value,
                          const std::vector<std::string>& supported) {
    if (!value.empty() && std::ranges::find(supported, value) == supported.end()) {
      errors.push_back(not_supported(path / name, value, supported));
    }
  };
  one_of("restartPolicy", pod.restart_policy, kRestart);
  one_of("dnsPolicy", pod.dns_policy, kDns);
}

// Lt and Gt compare numbers (Kubernetes 1.35 and newer; older API servers refuse them).
void validate_operator(const std::string& name, const std::string& value, const FieldPath& path,
                       FieldErrors& errors) {
  if (name == "Exists") {
    if (!value.empty()) {
      errors.push_back(invalid(path, value, "value must be empty when `operator` is 'Exists'"));
    }
  } else if (name.empty() || name == "Equal") {
    if (const auto wrong = not_label_value(value)) errors.push_back(invalid(path, value, *wrong));
  } else if (name != "Lt" && name != "Gt") {
    errors.push_back(not_supported(path, name, {"Equal", "Exists"}));
  }
}

bool is_written_integer(const std::string& text) {
  const auto number = parse_integer(text);
  return number && std::to_string(*number) == text;
}

// As Kubernetes has it in api/validate/content, IsDecimalInteger.
void validate_compared_value(const std::string& name, const std::string& value,
                             const FieldPath& path, FieldErrors& errors) {
  if ((name != "Lt" && name != "Gt") || is_written_integer(value)) return;
  errors.push_back(invalid(path, value,
                           "must be an integer if `operator` is 'Gt' or 'Lt', in decimal digits "
                           "without a leading zero"));
}

void validate_toleration(const json& toleration, const FieldPath& path, FieldErrors& errors) {
  static const std::vector<std::string> kEffects = {"NoExecute", "NoSchedule", "PreferNoSchedule"};
  for (const char* name : {"key", "operator", "value", "effect"}) {
    const json value = toleration.value(name, json());
    if (!value.is_null() && !value.is_string()) return;  // remove_wrong_types reports it
  }
  const json seconds = toleration.value("tolerationSeconds", json());
  const std::string key = text_at(toleration, {"key"}), name = text_at(toleration, {"operator"}),
                    effect = text_at(toleration, {"effect"});
  if (const auto wrong = not_qualified_name(key); wrong && !key.empty()) {
    errors.push_back(invalid(path / "key", key, *wrong));
  }
  if (key.empty() && name != "Exists") {
    errors.push_back(invalid(path / "operator", name,
                             "operator must be Exists when `key` is empty, which means \"match all "
                             "values and all keys\""));
  }
  validate_operator(name, text_at(toleration, {"value"}), path / "operator", errors);
  validate_compared_value(name, text_at(toleration, {"value"}), path / "value", errors);
  if (!seconds.is_null() && effect != "NoExecute") {
    errors.push_back(invalid(path / "effect", effect,
                             "effect must be 'NoExecute' when `tolerationSeconds` is set"));
  } else if (!effect.empty() && std::ranges::find(kEffects, effect) == kEffects.end()) {
    errors.push_back(not_supported(path / "effect", effect, kEffects));
  }
}

// core/v1 Tolerations, with the rules and the wording of k8s.io/kubernetes
// pkg/apis/core/validation.
void validate_tolerations(const json& tolerations, const FieldPath& path, FieldErrors& errors) {
  if (!tolerations.is_array()) return;
  for (std::size_t i = 0; i < tolerations.size(); ++i) {
    if (tolerations[i].is_object()) validate_toleration(tolerations[i], path[i], errors);
  }
}

void validate_topology(const Topology& topology, FieldErrors& errors) {
  const auto check = [&](const char* name, const std::string& label) {
    const auto wrong = label.empty() ? std::nullopt : not_qualified_name(label);
    if (wrong) errors.push_back(invalid(kSpec / "topology" / name, label, *wrong));
  };
  check("required", topology.required);
  check("preferred", topology.preferred);
}

// Kubernetes refuses rules for the restart of a container that restarts anyway.
void validate_restart_strategy(const Spec& spec, FieldErrors& errors) {
  const std::string& strategy = spec.restart_strategy;
  if (strategy.empty() || strategy == "Recreate") return;
  const FieldPath path = kSpec / "restartStrategy";
  if (strategy != kInPlace) {
    errors.push_back(not_supported(path, strategy, {"InPlace", "Recreate"}));
  } else if (restarts_containers(spec.pod)) {
    errors.push_back(
        forbidden(path,
                  "must not be InPlace if spec.pod.restartPolicy is OnFailure: the kubelet "
                  "then restarts each failed container anyway"));
  }
}

// A scheduler leaves the pods of another one's PodGroup pending, or places them one by one.
void validate_gang(const Spec& spec, FieldErrors& errors) {
  const std::string& kind = spec.gang.kind;
  if (kind.empty()) return;
  const FieldPath path = kSpec / "gang" / "kind";
  if (gang_kind(kind) == GangKind::None) {
    std::vector<std::string> supported;
    for (const GangKindFacts& facts : kGangKinds) supported.emplace_back(facts.name);
    errors.push_back(not_supported(path, kind, supported));
    return;
  }
  const std::string scheduler = scheduler_name(spec.pod);
  const GangKind known = kind_of_scheduler(scheduler);
  if (scheduler.empty() || known == GangKind::None || known == gang_kind(kind)) return;
  errors.push_back(
      invalid(path, kind,
              "spec.pod.schedulerName is " + scheduler + ", which is the scheduler of the kind " +
                  std::string(facts_of(known).name) + "; remove one of the two fields"));
}

// The size of an emptyDir is a quantity; one of 0 has no limit, and no volume would fit in it.
void validate_shared_memory(const SharedMemory& memory, const FieldPath& path,
                            FieldErrors& errors) {
  if (memory.size.empty()) return;
  if (const auto wrong = not_quantity(memory.size)) {
    errors.push_back(invalid(path / "size", memory.size, *wrong));
  } else if (Quantity::parse(memory.size).value_or(Quantity()) <= Quantity()) {
    errors.push_back(invalid(path / "size", memory.size,
                             "must be greater than 0; for no volume, set disable: true"));
  }
}

}  // namespace

void validate_object_name(const std::string& name, const FieldPath& path, FieldErrors& errors) {
  if (name.empty()) return;
  if (const auto wrong = not_dns1123_subdomain(name)) {
    errors.push_back(invalid(path, name, *wrong));
  }
}

void validate_pod(const MiniCluster& cluster, FieldErrors& errors) {
  const Spec& spec = cluster.spec;
  const Pod& pod = spec.pod;
  const FieldPath path = kSpec / "pod";
  validate_labels(cluster, spec.job_labels, kSpec / "jobLabels", errors);
  validate_annotation_keys(spec.job_annotations, kSpec / "jobAnnotations", errors);
  refuse_own_annotations(spec.job_annotations, kJobAnnotations, kSpec / "jobAnnotations", errors);
  validate_labels(cluster, pod.labels, path / "labels", errors);
  validate_label_syntax(pod.node_selector, path / "nodeSelector", errors);
  validate_annotations(pod.annotations, path / "annotations", errors);
  refuse_own_annotations(pod.annotations, kPodAnnotations, path / "annotations", errors);
  validate_node_affinity(pod.node_affinity, path / "nodeAffinity", errors);
  validate_overhead(pod, path / "resources", errors);
  validate_tolerations(pod.tolerations, path / "tolerations", errors);
  validate_object_name(pod.runtime_class_name, path / "runtimeClassName", errors);
  validate_object_name(pod.service_account_name, path / "serviceAccountName", errors);
  validate_choices(pod, path, errors);
  validate_shared_memory(pod.shared_memory, path / "sharedMemory", errors);
  validate_topology(spec.topology, errors);
  validate_gang(spec, errors);
  validate_restart_strategy(spec, errors);
  validate_template(cluster, errors);
  if (pod.host_pid && spec.share_process_namespace) {
    errors.push_back(invalid(kSpec / "shareProcessNamespace", true,
                             "may not be true together with spec.pod.hostPID, with which the "
                             "containers see each other's processes anyway"));
  }
}

}  // namespace mc::api
