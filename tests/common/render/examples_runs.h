#pragma once
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "tests/common/render/pod_dir.h"

// What each example of examples/ promises, as data: a pod to run, and its expected results.
namespace mc::test {

// Shell texts for PodDir::run.
inline constexpr const char* kBrokerThatStays =
    "sh $operator/flux-init.sh >/dev/null; sh $operator/wait-0.sh & pid=$!\n"
    "until [ -s $FAKE_FLUX/calls ] && grep -q broker $FAKE_FLUX/calls; do sleep 0.1; done\n"
    "kill -TERM $pid; wait $pid; echo told to end";
inline constexpr const char* kBrokerAndSidecar =
    "sh $operator/flux-init.sh >/dev/null; sh $operator/start-1.sh >/dev/null & sidecar=$!\n"
    "sh $operator/wait-0.sh; code=$?; wait $sidecar; exit $code";
inline constexpr const char* kBrokerOfASecondRun =
    "touch $folder/state/flux.tar\n"
    "sh $operator/flux-init.sh >/dev/null && exec sh $operator/wait-0.sh";

struct ExampleRun {
  const char* example;                  // the file's name without .yaml
  std::vector<std::string> log = {};    // parts of what the pod prints, in this order
  std::vector<std::string> words = {};  // parts of PodDir::calls()
  std::vector<std::string> never = {};  // parts of neither
  // JSON pointer -> JSON, in {kind: object, "Kind:name": object} with lists of named entries as
  // maps by name; "null": not present. For a file of the ConfigMap, a part of its text.
  std::vector<std::pair<const char*, const char*>> objects = {};
  int code = 0;
  const char* script = kBroker;
  int pod = 0;               // the completion index
  std::size_t document = 0;  // which MiniCluster of the file
  // Replacements in the file that make it work in the test: FOLDER is a folder of the test, PORT
  // the port of a server that answers with `server`.
  std::vector<std::pair<const char*, const char*>> here = {};
  const char* server = "";
};

std::vector<ExampleRun> example_runs();

// For GoogleTest.
void PrintTo(const ExampleRun& run, std::ostream* out);

}  // namespace mc::test
