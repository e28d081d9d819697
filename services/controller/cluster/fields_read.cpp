#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/api/model/names.h"
#include "services/controller/cluster/read.h"

namespace mc::controller {
namespace {

using Members = std::vector<Fields>;

Fields metadata(Members more = {}) {
  Members all = {{"name"},
                 {"namespace"},
                 {"uid"},
                 {"resourceVersion"},
                 {"labels"},
                 {"creationTimestamp"},
                 {"deletionTimestamp"},
                 {"ownerReferences", {{"controller"}, {"kind"}, {"name"}, {"uid"}}}};
  std::ranges::move(more, std::back_inserter(all));
  return {"metadata", std::move(all)};
}

Fields conditions(Members more = {}) {
  Members all = {{"type"}, {"status"}, {"reason"}, {"message"}};
  std::ranges::move(more, std::back_inserter(all));
  return {"conditions", std::move(all)};
}

const Fields kConditions = conditions();

// Of a pod's spec, what api::pod_requests reads, and `more`.
Members pod_spec(Members more) {
  for (const char* containers : {"containers", "initContainers"}) {
    more.push_back({containers, {{"name"}, {"restartPolicy"}, {"resources"}}});
  }
  more.push_back({"resources"});
  more.push_back({"overhead"});
  return more;
}

Fields statuses(const char* name) {
  return {name, {{"name"}, {"restartCount"}, {"state"}, {"lastState"}}};
}

Members of_pod() {
  return {metadata({{"deletionGracePeriodSeconds"},
                    {"annotations", {{std::string(api::kAdmittedAnnotation)}}}}),
          {"spec", pod_spec({{"nodeName"}})},
          {"status",
           {{"phase"},
            {"reason"},
            {"message"},
            {"startTime"},
            conditions({{"lastTransitionTime"}}),
            statuses("initContainerStatuses"),
            statuses("containerStatuses")}}};
}

Members of_job() {
  Members notes;
  for (const std::string_view name : api::kJobAnnotations) notes.push_back({std::string(name)});
  return {metadata({{"annotations", std::move(notes)}}),
          {"spec",
           {{"completions"},
            {"parallelism"},
            {"suspend"},
            {"backoffLimit"},
            {"activeDeadlineSeconds"},
            {"podFailurePolicy"},
            {"successPolicy"},
            {"template",
             {{"spec", pod_spec({{"restartPolicy"}, {"terminationGracePeriodSeconds"}})}}}}},
          {"status",
           {{"startTime"},
            {"completionTime"},
            {"ready"},
            {"active"},
            {"succeeded"},
            {"failed"},
            {"terminating"},
            kConditions}}};
}

Members of_pod_group() {
  return {
      metadata(),
      {"spec", {{"schedulingPolicy", {{"gang", {{"minCount"}}}}}, {"minMember"}}},
      {"status",
       {{"conditions", {{"type"}, {"status"}, {"reason"}, {"message"}, {"lastTransitionTime"}}}}}};
}

Members of_service() {
  return {metadata(),
          {"spec", {{"selector"}, {"ports"}, {"clusterIP"}, {"publishNotReadyAddresses"}}}};
}

Members of_event() {
  return {metadata(),
          {"message"},
          {"involvedObject", {{"name"}, {"uid"}}},
          {"series", {{"lastObservedTime"}}},
          {"lastTimestamp"},
          {"eventTime"}};
}

Members of_workload() { return {metadata(), {"spec", {{"queueName"}}}, {"status", {kConditions}}}; }

// Its spec and what its owner writes of its metadata are examined as a whole.
Members of_mini_cluster() {
  return {{"apiVersion"},
          metadata({{"generateName"}, {"generation"}, {"annotations"}}),
          {"spec"},
          {"status"}};
}

// With the kind, which Caches::learn reads.
std::map<std::string_view, Fields> all_by_kind() {
  std::map<std::string_view, Fields> out;
  for (auto& [kind, members] : std::initializer_list<std::pair<const char*, Members>>{
           {MiniCluster::kKind, of_mini_cluster()},
           {Pod::kKind, of_pod()},
           {Job::kKind, of_job()},
           {PodGroup::kKind, of_pod_group()},
           {ConfigMap::kKind, {metadata()}},
           {Service::kKind, of_service()},
           {PodDisruptionBudget::kKind, {metadata(), {"spec", {{"minAvailable"}}}}},
           {Event::kKind, of_event()},
           {Workload::kKind, of_workload()},
           {Namespace::kKind, {metadata()}},
           {PriorityClass::kKind, {metadata(), {"value"}}}}) {
    out[kind] = {"", members};
    out[kind].members.push_back({"kind"});
  }
  return out;
}

}  // namespace

const Fields& fields_of(std::string_view kind) {
  static const std::map<std::string_view, Fields> kAll = all_by_kind();
  const auto found = kAll.find(kind);
  return found == kAll.end() ? kAllFields : found->second;
}

}  // namespace mc::controller
