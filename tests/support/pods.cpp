#include "tests/support/pods.h"

namespace mc::test {

bool has_ended(const json& pod) {
  const std::string phase = text_at(pod, {"status", "phase"});
  return phase == "Succeeded" || phase == "Failed";
}

std::map<std::string, int> placed_pods(const Kubectl& kubectl) {
  std::map<std::string, int> out;
  for (const json& pod : kubectl.items({"pods"})) {
    if (has_ended(pod) || text_at(pod, {"spec", "nodeName"}).empty()) continue;
    ++out[text_at(pod, {"metadata", "labels", "batch.kubernetes.io/job-name"})];
  }
  return out;
}

}  // namespace mc::test
