#pragma once
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "bench/first_output/moment.h"
#include "bench/first_output/sources.h"
#include "bench/first_output/watch.h"

namespace mc::bench {

// When a step was reached by the lead (pod 0), or at all if it is not a pod's, and by the last pod.
struct Reached {
  double lead = std::numeric_limits<double>::quiet_NaN();
  double last = std::numeric_limits<double>::quiet_NaN();
};

// The steps of a life, in order. A plain Job has only some of them.
namespace step {
inline constexpr const char* kStored = "object stored";
inline constexpr const char* kFirstWrite = "the controller's first write arrives";
inline constexpr const char* kJob = "Job stored";
inline constexpr const char* kPod = "pod created";
inline constexpr const char* kBound = "pod bound";
inline constexpr const char* kSandbox = "sandbox started";
inline constexpr const char* kInit = "init container started";
inline constexpr const char* kInitEnd = "init container ended";
inline constexpr const char* kContainer = "container started";
inline constexpr const char* kAddress = "pod has an address";
inline constexpr const char* kBegin = "first line of the shell";
inline constexpr const char* kConfig = "phase config";
inline constexpr const char* kBroker = "phase broker";
inline constexpr const char* kJoined = "broker has joined";
inline constexpr const char* kRc1 = "rc1 ended";
inline constexpr const char* kQuorum = "phase quorum";
inline constexpr const char* kCommand = "phase command";
inline constexpr const char* kOutput = "first and last line of output";
inline constexpr const char* kEnd = "phase end";
inline constexpr const char* kContainerEnd = "container ended";
inline constexpr const char* kPodEnd = "pod succeeded";
inline constexpr const char* kDecided = "Job has its result";
inline constexpr const char* kComplete = "Job complete";
inline constexpr const char* kClusterComplete = "MiniCluster complete";
inline constexpr const char* kAll[] = {
    kStored,    kFirstWrite, kJob,   kPod,          kBound,  kSandbox, kInit,     kInitEnd,
    kContainer, kAddress,    kBegin, kConfig,       kBroker, kJoined,  kRc1,      kQuorum,
    kCommand,   kOutput,     kEnd,   kContainerEnd, kPodEnd, kDecided, kComplete, kClusterComplete};
}  // namespace step

// Seconds since the object was sent. A step that was not reached is absent.
using Timeline = std::map<std::string, Reached>;

// Everything that was observed of one object, from when it was sent to its end.
struct Observed {
  std::string ns, name;  // of the object and of its Job
  Moment sent = 0;
  Arrivals pods = {}, jobs = {}, clusters = {};
  std::vector<Write> writes = {};
  std::vector<Task> tasks = {};
};

// Also asks containerd: call it before the object is removed.
Timeline timeline(const Observed& observed);

}  // namespace mc::bench
