#include "common/api/policies/policies.h"

namespace mc::api {

// `at` is a path, `of` what is there. The lists have an entry for the new object and one for the
// old; within these, an entry for each container. More than 256 volumes, 1024 environment variables
// or 32 amounts of a container are not checked, so that the cost stays within the API server's
// budget (k8s.io/apiserver/pkg/apis/cel: PerCallLimit).
const std::vector<PolicyVariable>& policy_variables() {
  static const std::vector<PolicyVariable> kAll = {
      {"specs",
       R"([object.?spec.orValue({}), oldObject == null ? {} : oldObject.?spec.orValue({})])"},
      {"containers", R"(variables.specs.map(spec,
spec.?containers.orValue([]).transformList(i, c,
{'at': dyn('spec.containers[' + string(i) + ']'), 'of': dyn(c), 'inJob': dyn(true)})
+ spec.?services.orValue([]).transformList(i, c,
{'at': dyn('spec.services[' + string(i) + ']'), 'of': dyn(c), 'inJob': dyn(false)})))"},
      {"volumes", R"(variables.containers.map(all,
all.map(c, c.of.?volumes.orValue({}).size()).sum() > 256 ? [] :
all.map(c, c.of.?volumes.orValue({}).transformList(name, v,
{'at': dyn(c.at + '.volumes[' + name + ']'), 'name': dyn(name), 'of': dyn(v)}))))"},
      {"resources", R"([0, 1].map(k,
(variables.containers[k].map(c, {'at': c.at, 'of': c.of})
+ [{'at': dyn('spec.flux.container'), 'of': dyn(variables.specs[k].?flux.?container.orValue({}))}])
.map(c, {'at': dyn(c.at + '.resources'), 'limits': dyn(c.of.?resources.?limits.orValue({})),
'requests': dyn(c.of.?resources.?requests.orValue({}))})
.filter(r, r.limits.size() + r.requests.size() <= 32)))"},
      // `text`: the amount; `told`: as in messages. Null and what is no amount at all are left out.
      {"amounts", R"(variables.resources.map(all, all.map(r,
['limits', 'requests'].map(part, r[part].transformList(name, value,
(type(value) == string || type(value) == int || type(value) == double) && string(value).size() <= 64,
{'at': dyn(r.at + '.' + part + '[' + name + ']'), 'name': dyn(name), 'text': dyn(string(value)),
'told': dyn(type(value) == string ? strings.quote(value) : string(value))})))
.map(r, r[0] + r[1])))"},
      {"labels", R"(variables.specs.map(spec,
[{'at': dyn('spec.jobLabels'), 'of': dyn(spec.?jobLabels.orValue({}))},
{'at': dyn('spec.pod.labels'), 'of': dyn(spec.?pod.?labels.orValue({}))}]
.filter(labels, labels.of.size() <= 1024)))"},
  };
  return kAll;
}

}  // namespace mc::api
