#include "common/api/model/names.h"
#include "common/api/policies/cel.h"
#include "common/api/policies/policies.h"
#include "common/api/validation/shared.h"
#include "common/api/validation/text_rules.h"

namespace mc::api {
namespace {

const std::string kInvalid = "Invalid value", kDuplicate = "Duplicate value",
                  kRequired = "Required value", kForbidden = "Forbidden";

constexpr const char* kLabel = "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$";

// What a rule of text_rules.h says of `text`, which it refuses.
std::string words(std::optional<std::string> (*rule)(std::string_view), std::string_view text) {
  return rule(text).value_or("");
}

// A condition and what is told if it holds, for each entry of every container's list.
std::string each(const std::string& list, const std::string& entry, const std::string& is_wrong,
                 const std::string& error) {
  return "variables." + list + "[k].map(all, all.map(" + entry + ",\n" + is_wrong + ",\n" + error +
         "))";
}

std::string is_device(const std::string& name) {
  return "(" + name + ".contains('/') && !" + name + ".split('/')[0].endsWith('kubernetes.io'))";
}

std::string has_amount(const std::string& value) {
  return "(type(" + value + ") == string || type(" + value + ") == int || type(" + value +
         ") == double)";
}

// An amount of whole thousandths, which both sides compare alike.
std::string is_simple(const std::string& text) {
  return text + ".matches('^[0-9]{1,12}([.][0-9]{1,3}|[mkMG]|[KMG]i)?$')";
}

std::vector<PolicyRule> rules_of_texts() {
  const std::string image = R"('^([^/@]*[.:A-Z][^/@]*/|localhost/)?[a-z0-9._-]+(/[a-z0-9._-]+)*)"
                            R"((:[^/@:]*)?(@.*)?$')";
  return {
      {.name = "image",
       .mirrors = "validate_image",
       .errors = R"([(variables.containers[k].map(c, {'at': dyn(c.at + '.image'),
'text': dyn(c.of.?image.orValue(''))}) + [{'at': dyn('spec.flux.container.image'),
'text': dyn(variables.specs[k].?flux.?container.?image.orValue(''))}])
.map(image, image.text != '' && image.text.size() <= 1024 &&
(image.text.matches('[ \t\r\n]') || !image.text.matches()" +
                 image + ")),\n" + told("image.at", kInvalid, "image.text", words(not_image, "")) +
                 ")]",
       .accepted =
           R"({"spec": {"containers": [{"image": "reg.example:5000/team/app:1@sha256:0"}]}})",
       .refused = R"({"spec": {"containers": [{"image": "ubuntu:noble "}]}})"},
      {.name = "environmentName",
       .mirrors = "not_environment_name",
       .errors =
           R"(variables.containers[k].map(c, {'at': dyn(c.at), 'of': c.of.?environment.orValue({})})
.map(c, c.of.size() <= 1024, c.of.transformList(name, value,
name.size() <= 1024 && !name.matches('^[ -<>-~]+$'),
)" +
           told("c.at + '.environment[' + name + ']'", kInvalid, "name",
                words(not_environment_name, "")) +
           "))",
       .accepted = R"({"spec": {"containers": [{"environment": {"a.b c": "x"}}]}})",
       .refused = R"({"spec": {"containers": [{"environment": {"A=B": "secret"}}]}})"},
      {.name = "labelValue",
       .mirrors = "not_label_value",
       .errors = R"(variables.labels[k].map(labels, labels.of.transformList(name, value,
value != '' && value.size() <= 63 && !value.matches('^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$'),
)" + told("labels.at + '[' + name + ']'", kInvalid, "value", words(not_label_value, " ")) +
                 "))",
       .accepted = R"({"spec": {"pod": {"labels": {"team": "a_b.C-1", "none": ""}}}})",
       .refused = R"({"spec": {"pod": {"labels": {"team": "a b"}}}})"},
  };
}

std::string list_of_job_labels() {
  std::string out = "[";
  for (const std::string_view label : kJobLabels) out += (out == "[" ? "" : ", ") + cel(label);
  return out + "]";
}

std::vector<PolicyRule> rules_of_names() {
  const std::string is_sidecar =
      "c.inJob && !c.of.?runFlux.orValue(false) && variables.specs[k].containers.size() > 1";
  const std::string name = "c.of.?name.orValue('')";
  return {
      {.name = "reservedLabel",
       .mirrors = "validate_labels",
       .errors = R"(variables.labels[k].map(labels, labels.of.transformList(name, value,
name in )" + list_of_job_labels() +
                 R"( && !(name in ['job-name', 'batch.kubernetes.io/job-name'] &&
value == object.metadata.?name.orValue('')) || name.startsWith()" +
                 cel(std::string(kGroup) + "/") + ") && !(name in [" + cel(kClusterLabel) + ", " +
                 cel(kUidLabel) + "]),\n" +
                 "labels.at + '[' + name + ']: Forbidden: ' + (name in " + list_of_job_labels() +
                 " ? " + cel(kOfTheJob) + " : " + cel(kOfTheGroup) + ")))",
       .accepted = R"({"spec": {"jobLabels": {"job-name": "sample", "team": "a"}}})",
       .refused = R"({"spec": {"jobLabels": {"controller-uid": "a"}}})"},
      {.name = "nameOfTheView",
       .mirrors = "validate_containers",
       .errors = "[variables.containers[k].map(c, " + is_sidecar + " && " + name + " != '' &&\n" +
                 "!variables.specs[k].?flux.?container.?disable.orValue(false) && " + name +
                 " == variables.specs[k].?flux.?container.?name.orValue('') && " + name +
                 " != object.metadata.?name.orValue(''),\n" +
                 told("c.at + '.name'", kDuplicate, name,
                      std::string(kIsNameOf) + std::string(kTheView)) +
                 ")]",
       .accepted = R"({"spec": {"containers": [{"runFlux": true}, {"name": "view"}]}})",
       .refused = R"({"spec": {"containers": [{"runFlux": true}, {"name": "flux-view"}]}})"},
      {.name = "nameOfAService",
       .mirrors = "validate_service_name",
       .errors = "[variables.containers[k].map(c, " + is_sidecar +
                 " && c.of.?ports.orValue([]).size() > 0 &&\n" + name + ".matches('^[0-9]'),\n" +
                 told("c.at + '.name'", kInvalid, name,
                      words(not_dns1035_label, "9") + std::string(kNamesTheService)) +
                 ")]",
       .accepted = R"({"spec": {"containers": [{"runFlux": true}, {"name": "9web"},
           {"name": "web", "ports": [80]}]}})",
       .refused =
           R"({"spec": {"containers": [{"runFlux": true}, {"name": "9web", "ports": [80]}]}})"},
      {.name = "deadline",
       .mirrors = "validate_numbers",
       .errors = "[[variables.specs[k].?deadlineSeconds.orValue(1)].map(seconds, seconds > " +
                 std::to_string(kMostDeadline) +
                 ",\n'spec.deadlineSeconds: Invalid value: ' + string(seconds) + " +
                 cel(": " + std::string(kAtMost) + std::to_string(kMostDeadline)) + ")]",
       .accepted = R"({"spec": {"deadlineSeconds": 9223372036}})",
       .refused = R"({"spec": {"deadlineSeconds": 9223372037}})"},
  };
}

std::vector<PolicyRule> rules_of_resources() {
  const auto pair = [](const std::string& is_wrong, const std::string& error) {
    return "variables.resources[k].map(r, r.requests.transformList(name, value,\n" + is_wrong +
           ",\nr.at + " + error + "))";
  };
  const std::string is_amount = has_amount("value") + " && string(value).size() <= 64";
  const std::string told_value = "(type(value) == string ? strings.quote(value) : string(value))";
  const std::string limit = "string(r.limits[name])";
  const std::string is_whole = "(" + is_device("name") + " || name.startsWith('hugepages-'))";
  return {
      {.name = "quantity",
       .mirrors = "not_quantity",
       .errors =
           each("amounts", "a", "a.text != '' && !isQuantity(a.text)",
                "a.at + ': Invalid value: ' + a.told + " + cel(": " + std::string(kNotQuantity))),
       .accepted = R"({"spec": {"containers": [{"resources": {"limits": {"cpu": 0.5,
           "memory": "1.5Gi", "ephemeral-storage": "1e9"}}}]}})",
       .refused = R"({"spec": {"containers": [{"resources": {"limits": {"cpu": "1 core"}}}]}})"},
      {.name = "resourceName",
       .mirrors = "validate_name",
       .errors = each("amounts", "a",
                      "!a.name.contains('/') && !a.name.startsWith('hugepages-') && !(a.name in "
                      "['cpu', 'memory', 'ephemeral-storage'])",
                      told("a.at", kInvalid, "a.name", kNoStandardResource)),
       .accepted = R"({"spec": {"containers": [{"resources": {"limits": {"cpu": 1,
           "nvidia.com/gpu": 1, "hugepages-2Mi": "4Mi"}}}]}})",
       .refused = R"({"spec": {"containers": [{"resources": {"limits": {"gpu": 1}}}]}})"},
      {.name = "requestAboveLimit",
       .mirrors = "validate_requests",
       .errors = pair("name in r.limits && !" + is_whole + " && " + is_amount + " &&\n" +
                          has_amount("r.limits[name]") + " && " + is_simple("string(value)") +
                          " && " + is_simple(limit) +
                          " &&\nquantity(string(value)).isGreaterThan(quantity(" + limit + "))",
                      "'.requests[' + name + ']: Invalid value: ' + " + told_value + " + " +
                          cel(": " + std::string(kAtMost)) + " + name + " + cel(kLimitOf) + " + " +
                          limit),
       .accepted = R"({"spec": {"containers": [{"resources": {"limits": {"cpu": 1, "memory": "1Gi"},
           "requests": {"cpu": "1000m", "memory": "1048576Ki"}}}]}})",
       .refused = R"({"spec": {"containers": [{"resources": {"limits": {"cpu": "0.5"},
           "requests": {"cpu": "501m"}}}]}})"},
      {.name = "wholeDevice",
       .mirrors = "validate_quantities",
       .errors =
           each("amounts", "a",
                is_device("a.name") + " && (a.text.matches('^[0-9]*[.][0-9]*[1-9]$') ||\n"
                                      "a.text.matches('^[0-9]*[1-9][0-9]{0,2}m$') && "
                                      "!a.text.endsWith('000m'))",
                "a.at + ': Invalid value: ' + a.told + " + cel(": " + std::string(kNotWhole))),
       .accepted = R"({"spec": {"containers": [{"resources": {"limits": {"nvidia.com/gpu": "2000m",
           "amd.com/gpu": "1.0", "cpu": "0.5"}}}]}})",
       .refused =
           R"({"spec": {"containers": [{"resources": {"limits": {"nvidia.com/gpu": "0.5"}}}]}})"},
      {.name = "limitOfADevice",
       .mirrors = "validate_requests",
       .errors = pair(
           is_whole + " && !(name in r.limits) && " + is_amount + " &&\nisQuantity(string(value))",
           "'.limits[' + name + ']: Required value: ' + " + cel(kNoLimit) + " + string(value)"),
       .accepted = R"({"spec": {"containers": [{"resources": {"limits": {"amd.com/gpu": 1},
           "requests": {"amd.com/gpu": 1, "cpu": 1}}}]}})",
       .refused = R"({"spec": {"containers": [{"resources": {"requests": {"amd.com/gpu": 1}}}]}})"},
      {.name = "overhead",
       .mirrors = "validate_overhead",
       .errors = R"([[variables.specs[k].?pod.orValue({})].map(pod,
pod.?runtimeClassName.orValue('') == '' && pod.?resources.orValue({}).exists(name, value,
value != null && value != {} && value != []),
)" + told("'spec.pod.resources'", kForbidden, kNoRuntimeClass) +
                 ")]",
       .accepted = R"({"spec": {"pod": {"resources": {"limits": {}}}}})",
       .refused = R"({"spec": {"pod": {"resources": {"cpu": 1}}}})"},
  };
}

std::vector<PolicyRule> rules_of_volumes() {
  const std::string path = "v.of.?path.orValue('')";
  const std::string object_name =
      R"(variables.volumes[k].map(all, ['claimName', 'configMapName', 'secretName'].map(field,
all.exists(v, v.of[?field].orValue('') != ''),
all.map(v, v.of[?field].orValue('') != '' && v.of[field].size() <= 253 &&
!v.of[field].matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*$'),
)" + told("v.at + '.' + field", kInvalid, "v.of[field]", words(not_dns1123_subdomain, "")) +
      ").join(', ')).filter(text, text != ''))";
  return {
      {.name = "volumeName",
       .mirrors = "not_dns1123_label",
       .errors = each("volumes", "v",
                      "v.name.size() <= 63 && !v.name.matches('" + std::string(kLabel) + "')",
                      told("v.at", kInvalid, "v.name", words(not_dns1123_label, ""))),
       .accepted = R"({"spec": {"containers": [{"volumes": {"0-data": {"path": "/d"}}}]}})",
       .refused = R"({"spec": {"containers": [{"volumes": {"My_Data": {"path": "/d"}}}]}})"},
      {.name = "volumePath",
       .mirrors = "validate_path",
       .errors = each(
           "volumes", "v",
           path + ".size() <= 4096 && (" + path + ".contains(':') || " + path + ".matches('^/+$'))",
           "v.at + '.path: Invalid value: ' + strings.quote(v.of.path) + ': ' +\n"
           "(v.of.path.contains(':') ? " +
               cel(kColonInPath) + " : " + cel(kRootAsPath) + ")"),
       .accepted = R"({"spec": {"containers": [{"volumes": {"d": {"path": "//d"}}}]}})",
       .refused = R"({"spec": {"containers": [{"volumes": {"d": {"path": "/d:ro"}}}]}})"},
      {.name = "volumeWithoutPath",
       .mirrors = "validate_path",
       .errors = each("volumes", "v",
                      path + " == '' && !v.of.?emptyDir.orValue(false) &&\n"
                             "(['configMapName', 'csiDriver', 'secretName'].exists(source, "
                             "v.of[?source].orValue('') != '') ||\n"
                             "['claimName', 'hostPath', 'emptyDirMedium', "
                             "'emptyDirSizeLimit'].all(field, v.of[?field].orValue('') == ''))",
                      "v.at + '.path: Required value: ' + (['configMapName', 'csiDriver', "
                      "'secretName']\n.filter(source, v.of[?source].orValue('') != '')"
                      ".map(source, 'a volume with ' + source + " +
                          cel(kNoPathOf) + ") + [" + cel(kNoPath) + "])[0]"),
       .accepted = R"({"spec": {"containers": [{"volumes": {"shm": {"emptyDirMedium": "memory"},
           "d": {"path": "/d", "secretName": "s"}}}]}})",
       .refused = R"({"spec": {"containers": [{"volumes": {"d": {"configMapName": "c"}}}]}})"},
      {.name = "volumePathTwice",
       .mirrors = "validate_container_volumes",
       .errors = each("volumes", "v",
                      path + " != '' && all.exists(w, w.name < v.name && w.of.?path.orValue('') == "
                             "v.of.path)",
                      "v.at + '.path: Duplicate value: ' + strings.quote(v.of.path) + ': ' + " +
                          cel(kIsPathOf) +
                          " +\nall.filter(w, w.name < v.name && w.of.?path.orValue('') == "
                          "v.of.path)[0].at"),
       .accepted = R"({"spec": {"containers": [{"volumes": {"a": {"path": "/d"},
           "b": {"path": "/e"}}}]}})",
       .refused = R"({"spec": {"containers": [{"volumes": {"a": {"path": "/d"},
           "b": {"path": "/d"}}}]}})"},
      {.name = "volumeSizeLimit",
       .mirrors = "validate_size_limit",
       .errors = each(
           "volumes", "v",
           "v.of.?emptyDirSizeLimit.orValue('') != '' && v.of.emptyDirSizeLimit.size() "
           "<= 64 &&\n!isQuantity(v.of.emptyDirSizeLimit)",
           told("v.at + '.emptyDirSizeLimit'", kInvalid, "v.of.emptyDirSizeLimit", kNotQuantity)),
       .accepted = R"({"spec": {"containers": [{"volumes": {"d": {"emptyDir": true,
           "emptyDirSizeLimit": "64Gi"}}}]}})",
       .refused = R"({"spec": {"containers": [{"volumes": {"d": {"emptyDir": true,
           "emptyDirSizeLimit": "lots"}}}]}})"},
      {.name = "nameOfAnObject",
       .mirrors = "validate_references",
       .errors = object_name,
       .accepted = R"({"spec": {"containers": [{"volumes": {"d": {"path": "/d",
           "claimName": "a.b-c"}}}]}})",
       .refused = R"({"spec": {"containers": [{"volumes": {"d": {"path": "/d",
           "claimName": "My_Claim"}}}]}})"},
  };
}

PolicyRule rule_of_updates() {
  return {.name = "immutable",
          .mirrors = "validate_update",
          .errors = immutable_errors(),
          .accepted = R"({"spec": {"size": 1, "cleanup": true, "tasks": 1, "interactive": false}})",
          .refused = R"({"spec": {"containers": [{"image": "ubuntu:noble", "command": "date"}]}})",
          .before = "{}"};
}

}  // namespace

const std::vector<PolicyRule>& policy_rules() {
  static const std::vector<PolicyRule> kAll = [] {
    std::vector<PolicyRule> out;
    for (const auto& part :
         {rules_of_texts(), rules_of_names(), rules_of_resources(), rules_of_volumes()}) {
      out.insert(out.end(), part.begin(), part.end());
    }
    out.push_back(rule_of_updates());
    return out;
  }();
  return kAll;
}

}  // namespace mc::api
