#pragma once
#include <string>
#include <vector>

// Admission policies in CEL for clusters without the webhook (decision 72): they make its computed
// defaults and the refusals that occur most, with its words. A policy refuses nothing that the
// webhook accepts.
namespace mc::api {

// One refusal. `accepted` and `refused` are merge patches (RFC 7386) onto the smallest MiniCluster;
// an update if `before`, the patch that makes the old object, is given.
struct PolicyRule {
  std::string name;     // of the policy's variable; stable
  std::string mirrors;  // the function of common/api/validation with the same rule
  // CEL: the texts of the errors, a list of lists of strings. With `k` it is about the object if
  // k is 0, about the old one if k is 1.
  std::string errors;
  const char* accepted;
  const char* refused;
  const char* before = nullptr;
};

// The table, in the order of the policy.
const std::vector<PolicyRule>& policy_rules();

// A variable of CEL that rules use.
struct PolicyVariable {
  std::string name;
  std::string expression;
};
const std::vector<PolicyVariable>& policy_variables();

// The `spec` of the ValidatingAdmissionPolicy and of the MutatingAdmissionPolicy, as YAML.
std::string validating_policy();
std::string mutating_policy();

}  // namespace mc::api
