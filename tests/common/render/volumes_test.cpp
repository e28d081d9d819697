#include "common/render/volumes.h"

#include <gtest/gtest.h>

#include "common/api/model/names.h"
#include "common/render/pod.h"
#include "tests/common/render/cases.h"

// The effect of each field of a volume, in the Job's pods and in the services pod.
namespace mc::render {
namespace {

using test::by_name;
using test::cluster;

struct Kind {
  const char* name;
  std::function<void(api::Volume&)> change;
  const char* volume;  // without its name
  bool source_is_read_only = false;
  // Without the volume's name; for a read-only one without readOnly.
  const char* mount = R"({"mountPath": "/data"})";
};

std::vector<Kind> kinds() {
  constexpr const char* kItems = R"([{"key": "a", "path": "x/a.ini"}, {"key": "b", "path": "b"}])";
  static const std::string kSecret =
      std::string(R"({"secret": {"secretName": "s", "items": )") + kItems + "}}";
  static const std::string kConfigMap =
      std::string(R"({"configMap": {"name": "m", "items": )") + kItems + "}}";
  const api::StringMap items = {{"b", "b"}, {"a", "x/a.ini"}};
  return {
      {"claimName", [](auto& v) { v.claim_name = "c"; },
       R"({"persistentVolumeClaim": {"claimName": "c"}})", true},
      {"configMapName", [](auto& v) { v.config_map_name = "m"; },
       R"({"configMap": {"name": "m"}})"},
      {"items of a ConfigMap, in the order of keys",
       [=](auto& v) {
         v.config_map_name = "m";
         v.items = items;
       },
       kConfigMap.c_str()},
      {"secretName", [](auto& v) { v.secret_name = "s"; }, R"({"secret": {"secretName": "s"}})"},
      {"items of a Secret",
       [=](auto& v) {
         v.secret_name = "s";
         v.items = items;
       },
       kSecret.c_str()},
      {"csiDriver", [](auto& v) { v.csi_driver = "d"; }, R"({"csi": {"driver": "d"}})", true},
      {"csiDriverAttributes",
       [](auto& v) {
         v.csi_driver = "d";
         v.csi_driver_attributes = {{"k", "v"}};
       },
       R"({"csi": {"driver": "d", "volumeAttributes": {"k": "v"}}})", true},
      {"hostPath", [](auto& v) { v.host_path = "/on/node"; },
       R"({"hostPath": {"path": "/on/node", "type": "Directory"}})"},
      {"hostPath of a device", [](auto& v) { v.host_path = "/dev/fuse"; },
       R"({"hostPath": {"path": "/dev/fuse"}})"},
      {"hostPath of a socket", [](auto& v) { v.host_path = "/run/containerd/containerd.sock"; },
       R"({"hostPath": {"path": "/run/containerd/containerd.sock"}})"},
      {"hostPath of a socket with a number",
       [](auto& v) { v.host_path = "/run/munge/munge.socket.2"; },
       R"({"hostPath": {"path": "/run/munge/munge.socket.2"}})"},
      {"hostPath of a file without a dot", [](auto& v) { v.host_path = "/etc/localtime"; },
       R"({"hostPath": {"path": "/etc/localtime"}})"},
      {"hostPath of a directory below one with a dot",
       [](auto& v) { v.host_path = "/data.d/run/"; },
       R"({"hostPath": {"path": "/data.d/run/", "type": "Directory"}})"},
      {"emptyDir", [](auto& v) { v.empty_dir = true; }, R"({"emptyDir": {}})"},
      {"emptyDirMedium",
       [](auto& v) {
         v.empty_dir = true;
         v.empty_dir_medium = "memory";
       },
       R"({"emptyDir": {"medium": "Memory"}})"},
      {"another emptyDirMedium", [](auto& v) { v.empty_dir_medium = "HugePages-2Mi"; },
       R"({"emptyDir": {"medium": "HugePages-2Mi"}})"},
      {"emptyDirSizeLimit", [](auto& v) { v.empty_dir_size_limit = "1Gi"; },
       R"({"emptyDir": {"sizeLimit": "1Gi"}})"},
      {"nothing but a path", [](auto&) {}, R"({"emptyDir": {}})"},
      {"an emptyDir without a path",
       [](auto& v) {
         v.empty_dir = true;
         v.path = "";
       },
       R"({"emptyDir": {}})", false, R"({"mountPath": "/dev/shm"})"},
  };
}

json without_name(json entry) {
  entry.erase("name");
  return entry;
}

void check(const Kind& kind, bool read_only, const json& volume, const json& mount) {
  json expected_volume = json::parse(kind.volume);
  json expected_mount = json::parse(kind.mount);
  if (read_only) expected_mount["readOnly"] = true;
  if (read_only && kind.source_is_read_only) expected_volume.begin().value()["readOnly"] = true;
  EXPECT_EQ(without_name(volume), expected_volume);
  EXPECT_EQ(without_name(mount), expected_mount);
}

TEST(Volumes, AreOfEveryKindWritableOrNotForBrokersAndServices) {
  for (const Kind& kind : kinds()) {
    for (const bool read_only : {false, true}) {
      SCOPED_TRACE(std::string(kind.name) + (read_only ? ", read-only" : ""));
      api::Volume volume;
      volume.path = "/data";
      volume.read_only = read_only;
      kind.change(volume);
      api::MiniCluster spec = cluster();
      spec.spec.services = {test::sidecar("db", "postgres:16")};
      spec.spec.services[0].volumes["v"] = volume;
      const json services = services_pod(spec)["spec"];
      check(kind, read_only, by_name(services["volumes"], "v"),
            by_name(services["containers"][0]["volumeMounts"], "v"));
      spec.spec.services.clear();
      spec.spec.containers[0].volumes["v"] = volume;
      const json job = pod_template(spec)["spec"];
      check(kind, read_only, by_name(job["volumes"], "v"),
            by_name(job["containers"][0]["volumeMounts"], "v"));
    }
  }
}

TEST(Volumes, OneThatSomeContainerWritesToIsNotAttachedReadOnly) {
  for (const bool writer_first : {false, true}) {
    api::MiniCluster spec = cluster();
    spec.spec.containers.push_back(test::sidecar("s", "x", "sleep 1"));
    for (std::size_t i = 0; i < 2; ++i) {
      api::Volume& volume = spec.spec.containers[i].volumes["v"];
      volume.path = "/data";
      volume.csi_driver = "d";
      volume.read_only = writer_first == (i == 1);
    }
    const json pod = pod_template(spec)["spec"];
    EXPECT_EQ(by_name(pod["volumes"], "v")["csi"], json({{"driver", "d"}}));
    for (std::size_t i = 0; i < 2; ++i) {
      const json mount = by_name(pod["containers"][i]["volumeMounts"], "v");
      EXPECT_EQ(mount.value("readOnly", false), spec.spec.containers[i].volumes["v"].read_only);
    }
  }
}

TEST(Volumes, AreInTheOrderOfNamesAndEachOnce) {
  api::MiniCluster spec = cluster();
  spec.spec.containers.push_back(test::sidecar("s", "x", "sleep 1"));
  for (api::Container& container : spec.spec.containers) {
    container.volumes["zz"] = test::empty_dir("/zz");
    container.volumes["aa"] = test::empty_dir("/aa");
  }
  std::vector<std::string> names;
  for (const json& volume : job_volumes(spec)) names.push_back(volume["name"]);
  EXPECT_EQ(names, (std::vector<std::string>{"aa", "flux-operator-curve", "flux-operator-home",
                                             "flux-operator-runner", "flux-sample-entrypoint",
                                             "flux-view", "spack-software", "zz"}));
}

TEST(Volumes, ViewIsLeftOutWhenDisabledAndTheImagesSoftwareStaysVisible) {
  api::MiniCluster spec = cluster();
  spec.spec.flux.container.disable = true;
  const std::string pod = pod_template(spec).dump();
  EXPECT_EQ(pod.find("/opt/software"), std::string::npos);
  EXPECT_EQ(pod.find("flux-init.sh"), std::string::npos);
  // The kubelet would make /mnt/flux/config for root.
  EXPECT_NE(pod.find(R"("mountPath":"/mnt/flux/curve")"), std::string::npos);
}

// The webhook refuses a user's volume at one of these.
TEST(Volumes, ThePathsOfOursAreKnown) {
  for (const bool disable : {false, true}) {
    SCOPED_TRACE(disable);
    api::MiniCluster spec = cluster();
    spec.spec.flux.container.disable = disable;
    spec.spec.flux.container.mount_path = "/opt/flux";
    spec.spec.flux.munge_secret = "munge";
    spec.spec.containers.push_back(test::sidecar("s", "x", "sleep 1"));
    for (std::size_t i = 0; i < 2; ++i) {
      const auto known = our_mount_paths(spec, spec.spec.containers[i]);
      for (const json& mount : job_mounts(spec, i)) {
        const auto path = mount["mountPath"].get<std::string>();
        EXPECT_NE(std::ranges::find(known, path), known.end()) << path;
      }
    }
  }
}

TEST(Volumes, MungeKeyIsTheRunnersOnly) {
  api::MiniCluster spec = cluster();
  spec.spec.flux.munge_secret = "munge";
  spec.spec.containers.push_back(test::sidecar("s", "x", "sleep 1"));
  const json pod = pod_template(spec)["spec"];
  EXPECT_EQ(by_name(pod["containers"][0]["volumeMounts"], "munge-key"),
            json({{"name", "munge-key"}, {"mountPath", "/etc/munge"}, {"readOnly", true}}));
  EXPECT_EQ(by_name(pod["volumes"], "munge-key")["secret"], json({{"secretName", "munge"}}));
  EXPECT_TRUE(by_name(pod["containers"][1]["volumeMounts"], "munge-key").is_null());
  EXPECT_TRUE(by_name(pod["initContainers"][0]["volumeMounts"], "munge-key").is_null());
}

// Works for any user of a container: writable volumes are emptyDirs, to which every user of the pod
// may write, and readable ones are readable by everyone who has the mount.
TEST(Volumes, OfOursAreForAnyUser) {
  for (const json& volume : job_volumes(cluster())) {
    SCOPED_TRACE(volume["name"]);
    json sources = json::array({volume});
    if (volume.contains("projected")) sources = volume["projected"]["sources"];
    for (const json& source : sources) {
      if (source.contains("emptyDir")) continue;
      const json& files = source.contains("secret") ? source["secret"] : source["configMap"];
      ASSERT_FALSE(files["items"].empty());
      for (const json& item : files["items"]) {
        EXPECT_EQ(item["mode"].get<int>() & 0444, 0444) << item["path"];
        EXPECT_EQ(item["mode"].get<int>() & 0222, 0) << item["path"];
      }
    }
  }
}

}  // namespace
}  // namespace mc::render
