#include "e2e/stories/pod_story.h"

// Each kind of volume, mounted by a real kubelet.
namespace mc::e2e {
namespace {

using ::testing::HasSubstr;

class Volumes : public PodStory {};

constexpr const char* kSources = R"(
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {settings.ini: "from a ConfigMap"}
---
apiVersion: v1
kind: Secret
metadata: {name: credentials}
stringData: {password: "hunter2"}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data}
spec:
  accessModes: [ReadWriteMany]
  storageClassName: ""
  resources: {requests: {storage: 1Mi}}
)";

json persistent_volume(const std::string& ns) {
  return {{"apiVersion", "v1"},
          {"kind", "PersistentVolume"},
          {"metadata", {{"name", ns}}},
          {"spec",
           {{"capacity", {{"storage", "1Mi"}}},
            {"accessModes", {"ReadWriteMany"}},
            {"persistentVolumeReclaimPolicy", "Retain"},
            {"claimRef", {{"namespace", ns}, {"name", "data"}}},
            {"hostPath", {{"path", "/tmp/" + ns}, {"type", "DirectoryOrCreate"}}}}}};
}

TEST_F(Volumes, OfEachKindAreMounted) {
  kubectl.must({"apply", "-f", "-"}, kSources);
  apply(persistent_volume(kubectl.namespace_name()));
  json cluster =
      minicluster("volumes", 2,
                  "bash -c 'cat /settings/settings.ini /credentials/password | wc -c; "
                  "echo written >/data/file; cat /data/file; test -w /scratch && echo scratch; "
                  "test ! -w /node/hostname && cat /node/hostname >/dev/null && echo node; "
                  "df /dev/shm | grep -q tmpfs && echo memory'",
                  {{"tasks", 1}});
  container(cluster)["volumes"] = {
      {"data", {{"claimName", "data"}, {"path", "/data"}}},
      {"settings",
       {{"configMapName", "settings"},
        {"items", {{"settings.ini", "settings.ini"}}},
        {"path", "/settings"},
        {"readOnly", true}}},
      {"credentials",
       {{"secretName", "credentials"}, {"path", "/credentials"}, {"readOnly", true}}},
      {"node", {{"hostPath", "/etc"}, {"path", "/node"}, {"readOnly", true}}},
      {"scratch", {{"path", "/scratch"}}},
      {"shm", {{"emptyDir", true}, {"emptyDirMedium", "Memory"}, {"emptyDirSizeLimit", "16Mi"}}}};
  apply(cluster);
  ASSERT_TRUE(reaches("volumes", "Complete"));
  const std::string lead = log("volumes", 0);
  for (const char* line : {"23", "written", "scratch", "node", "memory"}) {
    EXPECT_THAT(lead, HasSubstr(std::string("\n") + line));
  }
  kubectl({"delete", "persistentvolume", kubectl.namespace_name(), "--wait=false"});
}

}  // namespace
}  // namespace mc::e2e
