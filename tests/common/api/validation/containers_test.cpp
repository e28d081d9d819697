#include <gtest/gtest.h>

#include "tests/common/api/error_cases.h"

namespace mc::api {
namespace {

const std::string kContainer = "spec.containers[0]";
const std::string kImageWords =
    "must be the name of an image, in lower case and without spaces, with a tag after ':' or a "
    "digest after '@' (e.g. 'ghcr.io/team/app:1.2')";
const std::string kResourceWords =
    "must be a standard resource for containers: cpu, memory, ephemeral-storage or hugepages-SIZE; "
    "a device needs its vendor as a prefix (e.g. 'nvidia.com/gpu')";

const test::Case kContainerCases[] = {
    {"an image with spaces around it", R"({"spec": {"containers": [{"image": "ubuntu:noble "}]}})",
     kContainer + ".image: Invalid value: \"ubuntu:noble \": " + kImageWords},
    {"a folder that is relative, and a pull secret that is none",
     R"({"spec": {"containers": [{"workingDir": "work", "imagePullSecret": "My Secret"}]}})",
     {kContainer + ".imagePullSecret: Invalid value: \"My Secret\": " + test::kSubdomainWords,
      kContainer + ".workingDir: Invalid value: \"work\": must be an absolute path, for example "
                   "\"/work\""}},
    {"a variable of a Secret that cannot be",
     R"({"spec": {"containers": [{"secrets": {"A": {"name": "A_B", "key": "a b"},
                                              "B": {"name": "b", "key": ".."}}}]}})",
     {kContainer + ".secrets[A].key: Invalid value: \"a b\": a valid config key must consist of "
                   "alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or "
                   "'key-name')",
      kContainer + ".secrets[A].name: Invalid value: \"A_B\": " + test::kSubdomainWords,
      kContainer + ".secrets[B].key: Invalid value: \"..\": must not be '..'"}},

    // resources
    {"requests within their limits, in whatever units", R"({"spec": {"containers": [{"resources": {
         "limits": {"cpu": 1, "memory": "1Gi", "nvidia.com/gpu": 2, "hugepages-2Mi": "4Mi"},
         "requests": {"cpu": "1000m", "memory": "1048576Ki", "nvidia.com/gpu": "2",
                      "hugepages-2Mi": "4096Ki"}}}]}})"},
    {"a request equal to its limit, which is no binary fraction",
     R"({"spec": {"containers": [{"resources": {"limits": {"cpu": 0.3, "memory": 1e9},
                                               "requests": {"cpu": "300m", "memory": "1G"}}}]}})"},
    {"amounts that differ in their last digit",
     R"({"spec": {"containers": [{"resources": {
         "limits": {"memory": "9223372036854775806", "nvidia.com/gpu": "1.00000000000000000001"},
         "requests": {"memory": "9223372036854775807"}}}]}})",
     {kContainer + ".resources.limits[nvidia.com/gpu]: Invalid value: \"1.00000000000000000001\": "
                   "must be an integer",
      kContainer + ".resources.requests[memory]: Invalid value: \"9223372036854775807\": must be "
                   "less than or equal to memory limit of 9223372036854775806"}},
    {"requests above their limits",
     R"({"spec": {"containers": [{"resources": {"limits": {"cpu": "0.5", "memory": "1G"},
                                               "requests": {"cpu": "501m", "memory": "1Gi"}}}]}})",
     {kContainer + ".resources.requests[cpu]: Invalid value: \"501m\": must be less than or equal "
                   "to cpu limit of 0.5",
      kContainer + ".resources.requests[memory]: Invalid value: \"1Gi\": must be less than or "
                   "equal to memory limit of 1G"}},
    {"devices are whole and not shared",
     R"({"spec": {"containers": [{"resources": {"limits": {"nvidia.com/gpu": "0.5"},
         "requests": {"nvidia.com/gpu": 1, "amd.com/gpu": 1}}}]}})",
     {kContainer + ".resources.limits[amd.com/gpu]: Required value: a limit must be set, equal to "
                   "the request of 1",
      kContainer + ".resources.limits[nvidia.com/gpu]: Invalid value: \"0.5\": must be an integer",
      kContainer + ".resources.requests[nvidia.com/gpu]: Invalid value: 1: must be equal to "
                   "nvidia.com/gpu limit of 0.5"}},
    {"resources that there are not, and less than nothing",
     R"({"spec": {"containers": [{"resources": {"limits": {"gpu": 1, "cpu": -1}}}]}})",
     {kContainer + ".resources.limits[cpu]: Invalid value: -1: must be greater than or equal to 0",
      kContainer + ".resources.limits[gpu]: Invalid value: \"gpu\": " + kResourceWords}},
    {"a device by the name that quotas have for it",
     R"({"spec": {"containers": [{"resources": {"limits": {"requests.nvidia.com/gpu": 1}}}]}})",
     kContainer + ".resources.limits[requests.nvidia.com/gpu]: Invalid value: "
                  "\"requests.nvidia.com/gpu\": is a name for quotas: the resource is "
                  "nvidia.com/gpu"},
    {"huge pages are whole, and not alone",
     R"({"spec": {"containers": [{"resources": {"limits": {"hugepages-2Mi": "3Mi",
         "hugepages-big": 1}}}]}})",
     {kContainer + ".resources: Forbidden: HugePages require cpu or memory",
      kContainer + ".resources.limits[hugepages-2Mi]: Invalid value: \"3Mi\": must be a multiple "
                   "of the size of a page, which the resource's name must include (e.g. '4Mi' of "
                   "hugepages-2Mi)",
      kContainer + ".resources.limits[hugepages-big]: Invalid value: 1: must be a multiple of the "
                   "size of a page, which the resource's name must include (e.g. '4Mi' of "
                   "hugepages-2Mi)"}},

    // volumes
    {"names of what a volume is made of",
     R"({"spec": {"containers": [{"volumes": {
         "a": {"path": "/a", "claimName": "My_Claim"}, "b": {"path": "/b", "configMapName": "B"},
         "c": {"path": "/c", "secretName": "c d"}, "d": {"path": "/d", "csiDriver": "csi_driver"},
         "e": {"path": "/e", "csiDriver": "CSI.Example.com"}}}]}})",
     {kContainer + ".volumes[a].claimName: Invalid value: \"My_Claim\": " + test::kSubdomainWords,
      kContainer + ".volumes[b].configMapName: Invalid value: \"B\": " + test::kSubdomainWords,
      kContainer + ".volumes[c].secretName: Invalid value: \"c d\": " + test::kSubdomainWords,
      kContainer +
          ".volumes[d].csiDriver: Invalid value: \"csi_driver\": " + test::kSubdomainWords}},
    {"a volume in place of the image",
     R"({"spec": {"containers": [{"volumes": {"a": {"path": "//"}}}]}})",
     "spec.containers[0].volumes[a].path: Invalid value: \"//\": must be a folder below /: a "
     "volume at / itself would hide the image"},
    {"a volume where the certificate is",
     R"({"spec": {"containers": [{"volumes": {"a": {"path": "/mnt/flux/config/curve"},
                                              "b": {"path": "/mnt/flux/curve"}}}]}})",
     kContainer +
         ".volumes[a].path: Duplicate value: \"/mnt/flux/config/curve\": is the path of one "
         "of the operator's own volumes"},
    {"a volume where the certificate is without a view, and where the link to it is",
     R"({"spec": {"flux": {"container": {"disable": true}},
         "containers": [{"volumes": {"a": {"path": "/mnt/flux/config/curve"},
                                     "b": {"path": "/mnt/flux/curve"}}}]}})",
     {kContainer + ".volumes[a].path: Duplicate value: \"/mnt/flux/config/curve\": is the path of "
                   "one of the operator's own volumes",
      kContainer + ".volumes[b].path: Duplicate value: \"/mnt/flux/curve\": is the path of one of "
                   "the operator's own volumes"}},
    {"volumes at one path, however it is written",
     R"({"spec": {"containers": [{"volumes": {"a": {"path": "/data"}, "b": {"path": "//data/./x/.."},
         "c": {"path": "/mnt//flux/"}, "d": {"path": "/dev/shm/"}, "e": {"emptyDir": true}}}]}})",
     {kContainer + ".volumes[b].path: Duplicate value: \"//data/./x/..\": is the path of "
                   "spec.containers[0].volumes[a]",
      kContainer + ".volumes[c].path: Duplicate value: \"/mnt//flux/\": is the path of one of the "
                   "operator's own volumes",
      kContainer + ".volumes[e].path: Duplicate value: \"/dev/shm\": is the path of "
                   "spec.containers[0].volumes[d]"}},
    {"paths below others, with slashes that mean nothing",
     R"({"spec": {"containers": [{"volumes": {"a": {"path": "/data/"}, "b": {"path": "/data/b/"},
                                              "c": {"path": "/mnt//fluxes"}}}]}})"},
    {"volumes where those of ours are, whose path has slashes too",
     R"({"spec": {"flux": {"container": {"mountPath": "/mnt//flux/"}}, "containers": [{"volumes": {
         "a": {"path": "/mnt/flux"}, "b": {"path": "/mnt/flux/config/curve"}}}]}})",
     {kContainer + ".volumes[a].path: Duplicate value: \"/mnt/flux\": is the path of one of the "
                   "operator's own volumes",
      kContainer + ".volumes[b].path: Duplicate value: \"/mnt/flux/config/curve\": is the path of "
                   "one of the operator's own volumes"}},
    {"a volume in place of the image by a way around",
     R"({"spec": {"containers": [{"volumes": {"a": {"path": "/data/.."}}}]}})",
     "spec.containers[0].volumes[a].path: Invalid value: \"/data/..\": must be a folder below /: a "
     "volume at / itself would hide the image"},
    {"paths of the node",
     R"({"spec": {"containers": [{"volumes": {"a": {"path": "/a", "hostPath": "data"},
         "b": {"path": "/b", "hostPath": "/data/../etc"},
         "c": {"path": "/c", "hostPath": "/data/..x"}}}]}})",
     {kContainer + ".volumes[a].hostPath: Invalid value: \"data\": must be an absolute path, for "
                   "example \"/data\"",
      kContainer + ".volumes[b].hostPath: Invalid value: \"/data/../etc\": must not contain "
                   "'..'"}},
    {"files of items",
     R"({"spec": {"containers": [{"volumes": {"a": {"path": "/a", "configMapName": "b",
         "items": {"a b": "x", "k": "/etc/x", "l": "a/../b", "m": "", "n": "a/b..c"}}}}]}})",
     {kContainer + ".volumes[a].items[a b]: Invalid value: \"a b\": a valid config key must "
                   "consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or "
                   "'KEY_NAME',  or 'key-name')",
      kContainer + ".volumes[a].items[k]: Invalid value: \"/etc/x\": must be a relative path",
      kContainer + ".volumes[a].items[l]: Invalid value: \"a/../b\": must not contain '..'",
      kContainer + ".volumes[a].items[m]: Required value: the name of the file for the key"}},
    {"an empty directory of less than nothing, and huge pages of no size",
     R"({"spec": {"containers": [{"volumes": {
         "a": {"path": "/a", "emptyDir": true, "emptyDirSizeLimit": "-1Gi"},
         "b": {"path": "/b", "emptyDir": true, "emptyDirMedium": "HugePages-big"}}}]}})",
     {kContainer + ".volumes[a].emptyDirSizeLimit: Invalid value: \"-1Gi\": must be greater than "
                   "or equal to 0",
      kContainer + ".volumes[b].emptyDirMedium: Unsupported value: \"HugePages-big\": supported "
                   "values: \"Memory\", \"HugePages\", \"HugePages-<size>\""}},
};

TEST(ValidateContainers, EachRuleSaysWhatIsWrongAndWhatWouldBeRight) {
  test::expect_errors(kContainerCases);
}

}  // namespace
}  // namespace mc::api
