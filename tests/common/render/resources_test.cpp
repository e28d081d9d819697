#include "common/render/resources.h"

#include <gtest/gtest.h>

#include "common/render/pod.h"
#include "tests/support/clusters.h"

namespace mc::render {
namespace {

struct GpuCase {
  const char* name;
  const char* resources;  // of the container that runs Flux
  const char* patch;      // spec.pod.template
  std::int64_t gpus;
};

const GpuCase kGpus[] = {
    {"none", "{}", "null", 0},
    {"no resources at all", "null", "null", 0},
    {"of one vendor", R"({"limits": {"nvidia.com/gpu": 2}})", "null", 2},
    {"as a text", R"({"limits": {"amd.com/gpu": "4"}})", "null", 4},
    {"of both", R"({"limits": {"nvidia.com/gpu": 2, "amd.com/gpu": 1}})", "null", 3},
    {"of a vendor that the controller was told", R"({"limits": {"example.com/gpu": 1}})", "null",
     1},
    {"of an unknown one", R"({"limits": {"other.example/gpu": 1}})", "null", 0},
    {"a slice of a GPU is none", R"({"limits": {"nvidia.com/mig-1g.5gb": 1}})", "null", 0},
    {"a request alone is none", R"({"requests": {"nvidia.com/gpu": 1}})", "null", 0},
    {"from the template", "null",
     R"({"spec": {"containers": [{"name": "flux-sample",
         "resources": {"limits": {"nvidia.com/gpu": 8}}}]}})",
     8},
    {"changed by the template", R"({"limits": {"nvidia.com/gpu": 2}})",
     R"({"spec": {"containers": [{"name": "flux-sample",
         "resources": {"limits": {"nvidia.com/gpu": 1}}}]}})",
     1},
    {"those of another container do not count", "null",
     R"({"spec": {"containers": [{"name": "other",
         "resources": {"limits": {"nvidia.com/gpu": 8}}}]}})",
     0},
    {"a number that no node has", R"({"limits": {"nvidia.com/gpu": 1000000}})", "null", 0},
    {"a fraction", R"({"limits": {"nvidia.com/gpu": "500m"}})", "null", 0},
    {"a template of the wrong type", "null", R"({"spec": {"containers": 3}})", 0},
};

TEST(Gpus, AreThoseInTheLimitsOfTheContainerThatRunsFlux) {
  for (const GpuCase& each : kGpus) {
    SCOPED_TRACE(each.name);
    api::MiniCluster cluster = test::cluster("hostname", 2);
    cluster.spec.containers[0].resources = json::parse(each.resources);
    cluster.spec.pod.template_patch = json::parse(each.patch);
    cluster.more_gpus = {"example.com/gpu"};
    EXPECT_EQ(gpus(cluster), each.gpus);
  }
}

// What the pod has at /dev/shm: the name of the volume for each container, and its source.
json shared_memory_of(const api::MiniCluster& cluster) {
  const json pod = pod_template(cluster);
  json out = {{"mounts", json::array()}};
  for (const json& container : pod["spec"]["containers"]) {
    std::string volume;
    for (const json& mount : container["volumeMounts"]) {
      if (mount["mountPath"] == "/dev/shm" || mount["mountPath"] == "/dev/shm/") {
        volume += mount["name"].get<std::string>();
      }
    }
    out["mounts"].push_back(volume);
  }
  for (const json& volume : pod["spec"]["volumes"]) {
    if (volume["name"] == "flux-operator-shm") out["source"] = volume["emptyDir"];
  }
  return out;
}

struct ShmCase {
  const char* name;
  const char* spec;  // a merge patch of the fields below
  const char* shared_memory;
};

const ShmCase kShm[] = {
    {"without a limit it has none", "{}",
     R"({"mounts": ["flux-operator-shm", "flux-operator-shm"], "source": {"medium": "Memory"}})"},
    {"half of the memory limit", R"({"resources": {"limits": {"memory": "3Gi"}}})",
     R"({"mounts": ["flux-operator-shm", "flux-operator-shm"],
         "source": {"medium": "Memory", "sizeLimit": "1610612736"}})"},
    {"half of the pod's own limit", R"({"resources": {"limits": {"memory": "3Gi"}},
        "template": {"spec": {"resources": {"limits": {"memory": "1Ki"}}}}})",
     R"({"mounts": ["flux-operator-shm", "flux-operator-shm"],
         "source": {"medium": "Memory", "sizeLimit": "512"}})"},
    {"a limit that the template sets",
     R"({"template": {"spec": {"containers": [{"name": "flux-sample",
        "resources": {"limits": {"memory": 2048}}}]}}})",
     R"({"mounts": ["flux-operator-shm", "flux-operator-shm"],
         "source": {"medium": "Memory", "sizeLimit": "1024"}})"},
    {"the user's size", R"({"size": "64Mi", "resources": {"limits": {"memory": "3Gi"}}})",
     R"({"mounts": ["flux-operator-shm", "flux-operator-shm"],
         "source": {"medium": "Memory", "sizeLimit": "64Mi"}})"},
    {"not if it is disabled", R"({"disable": true})", R"({"mounts": ["", ""]})"},
    {"not with hostIPC", R"({"hostIPC": true})", R"({"mounts": ["", ""]})"},
    {"not with the template's", R"({"template": {"spec": {"hostIPC": true}}})",
     R"({"mounts": ["", ""]})"},
    {"not where the container has its own", R"({"own": "/dev/shm"})",
     R"({"mounts": ["mine", "flux-operator-shm"], "source": {"medium": "Memory"}})"},
    {"however it is written", R"({"own": "/dev/shm/"})",
     R"({"mounts": ["mine", "flux-operator-shm"], "source": {"medium": "Memory"}})"},
    {"not where the template mounts one",
     R"({"template": {"spec": {"containers": [{"name": "flux-sample",
        "volumeMounts": [{"name": "dshm", "mountPath": "/dev/shm"}]}]}}})",
     R"({"mounts": ["dshm", "flux-operator-shm"], "source": {"medium": "Memory"}})"},
};

TEST(SharedMemory, IsAVolumeInEachContainerThatHasNoneThere) {
  for (const ShmCase& each : kShm) {
    SCOPED_TRACE(each.name);
    const json spec = json::parse(each.spec);
    api::MiniCluster cluster = test::cluster("hostname", 2);
    api::Container helper;
    helper.name = "helper";
    helper.image = "redis:7";
    helper.command = "redis-server";
    cluster.spec.containers.push_back(helper);
    cluster.spec.containers[0].resources = at_path(spec, {"resources"});
    if (const std::string own = text_at(spec, {"own"}); !own.empty()) {
      api::Volume& mine = cluster.spec.containers[0].volumes["mine"];
      mine.empty_dir = true;
      mine.path = own;
    }
    cluster.spec.pod.template_patch = at_path(spec, {"template"});
    cluster.spec.pod.host_ipc = at_path(spec, {"hostIPC"}) == true;
    cluster.spec.pod.shared_memory = {at_path(spec, {"disable"}) == true, text_at(spec, {"size"})};
    EXPECT_EQ(shared_memory_of(cluster), json::parse(each.shared_memory));
  }
}

TEST(SharedMemory, IsAlsoInNativeSidecarsButNotInTheInitContainerOfTheView) {
  api::MiniCluster cluster = test::cluster("hostname", 2);
  api::Container helper;
  helper.name = "helper";
  helper.image = "redis:7";
  helper.no_wrap_entrypoint = true;
  cluster.spec.containers.push_back(helper);
  const json pod = pod_template(cluster);
  std::map<std::string, bool> has;
  for (const json& container : pod["spec"]["initContainers"]) {
    has[container["name"]] = container["volumeMounts"].dump().find("/dev/shm") != std::string::npos;
  }
  EXPECT_EQ(has, (std::map<std::string, bool>{{"flux-view", false}, {"helper", true}}));
}

}  // namespace
}  // namespace mc::render
