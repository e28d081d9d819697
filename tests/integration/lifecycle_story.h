#pragma once
#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/integration/job_pods.h"

namespace mc::test {

// A MiniCluster from its first pod to its end, with the real Job controller. There is no node: the
// test writes what a kubelet or scheduler would report of a pod.
class LifecycleStory : public ClusterStory {
 protected:
  // The pods of its Job, once all of them are there.
  JobPods make_with_pods(const std::string& name, const json& spec = json::object()) {
    make(name, spec);
    JobPods pods(kubectl, name);
    if (!pods.are(spec.value("size", 2))) throw std::runtime_error(name + " has not all its pods");
    return pods;
  }

  json status(const std::string& name) { return kubectl.get({"minicluster", name})["status"]; }

  // `Reason: message` of a condition with that status; "" if there is none.
  std::string told(const std::string& name, const std::string& type, const std::string& value) {
    const json object = kubectl.get({"minicluster", name});
    for (const json& entry : value_at(object, "/status/conditions", json::array())) {
      if (entry["type"] == type && entry["status"] == value) {
        return entry["reason"].get<std::string>() + ": " + entry["message"].get<std::string>();
      }
    }
    return "";
  }

  bool comes(const std::string& name, const std::string& type, const std::string& value,
             const std::string& what) {
    const bool came = eventually([&] {
      const std::string words = told(name, type, value);
      return !words.empty() && words.find(what) != std::string::npos;
    });
    EXPECT_TRUE(came) << "no " << type << "=" << value << " " << what << " on\n"
                      << kubectl.get({"minicluster", name}).dump(2);
    return came;
  }

  std::vector<std::string> events(const std::string& name) {
    std::vector<std::string> out;
    const json list = kubectl.get({"events", "--field-selector",
                                   "involvedObject.kind=MiniCluster,involvedObject.name=" + name});
    for (const json& event : list["items"]) {
      out.push_back(event["type"].get<std::string>() + " " + event["reason"].get<std::string>());
    }
    std::sort(out.begin(), out.end());
    return out;
  }

  // The event with that reason; an empty object if there is none.
  json event(const std::string& name, const std::string& reason) {
    const json list = kubectl.get(
        {"events", "--field-selector",
         "involvedObject.kind=MiniCluster,involvedObject.name=" + name + ",reason=" + reason});
    return list["items"].empty() ? json::object() : list["items"][0];
  }

  void patch(const std::string& name, const json& spec) {
    kubectl.patch("minicluster", name, {{"spec", spec}});
  }
};

}  // namespace mc::test
