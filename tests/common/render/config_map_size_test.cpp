#include <gtest/gtest.h>

#include <functional>

#include "common/api/examine.h"
#include "common/api/validation/validate.h"
#include "common/render/entrypoint.h"
#include "tests/common/api/base_object.h"

// A spec that admission accepts makes a ConfigMap that the API server accepts.
namespace mc::render {
namespace {

// The limit of all values together (k8s.io/kubernetes pkg/apis/core/validation,
// ValidateConfigMap).
constexpr std::size_t kMostData = std::size_t{1024} * 1024;

// A spec whose texts grow with `size`.
struct Extreme {
  const char* name;
  std::function<void(json& spec, std::size_t size)> grow;
};

std::string repeated(std::size_t size, std::string_view text) {
  std::string out;
  while (out.size() < size) out += text;
  return out;
}

json& runner(json& spec) { return spec["containers"][0]; }

const Extreme kExtremes[] = {
    {"a command of operators",
     [](json& spec, std::size_t size) { runner(spec)["command"] = repeated(size, "()"); }},
    {"a prefix of words, and options of operators",
     [](json& spec, std::size_t size) {
       runner(spec)["commands"]["prefix"] = repeated(size, "a ");
       spec["flux"]["optionFlags"] = repeated(size, "{");
     }},
    {"a submit command in one word",
     [](json& spec, std::size_t size) {
       spec["flux"]["submitCommand"] = "flux " + repeated(size, "#'");
     }},
    {"a batch of short lines",
     [](json& spec, std::size_t size) {
       runner(spec)["batch"] = true;
       runner(spec)["command"] = repeated(size, "a\n");
     }},
    {"snippets, and a sidecar's",
     [](json& spec, std::size_t size) {
       for (const char* name : {"init", "pre", "brokerPre", "workerPre", "post"}) {
         runner(spec)["commands"][name] = repeated(size, "'\n");
       }
       runner(spec)["runFlux"] = true;
       json sidecar = {{"name", "s"}, {"image", "x:1"}, {"command", repeated(size, "x")}};
       for (const char* name : {"init", "pre", "servicePre", "post"}) {
         sidecar["commands"][name] = repeated(size, "x");
       }
       spec["containers"].push_back(std::move(sidecar));
     }},
    {"variables of quotes, and many short ones",
     [](json& spec, std::size_t size) {
       spec["flux"]["environment"]["QUOTES"] = repeated(size / 2, "'");
       for (std::size_t i = 0; i < std::min<std::size_t>(size / 64, 9000); ++i) {
         spec["flux"]["environment"]["V" + std::to_string(i)] = "x";
       }
     }},
    {"a long hostlist and a list of variables",
     [](json& spec, std::size_t size) {
       spec["flux"]["bursting"]["hostlist"] =
           repeated(std::min<std::size_t>(size, 200'000), " \t,") + "sample-[0-1]";
       spec["flux"]["environment"]["A"] = repeated(size, "x");
     }},
    {"bursted clusters of long names",
     [](json& spec, std::size_t size) {
       json clusters = json::array();
       for (std::size_t i = 0; i < std::min<std::size_t>(size / 64, 3000); ++i) {
         clusters.push_back({{"name", repeated(50, "b") + std::to_string(i)}, {"size", 99999}});
       }
       spec["flux"]["bursting"]["clusters"] = std::move(clusters);
       runner(spec)["commands"]["pre"] = repeated(size, "x");
     }},
    {"paths of quotes",
     [](json& spec, std::size_t size) {
       spec["flux"]["container"]["mountPath"] = "/" + repeated(size, "\"");
       spec["flux"]["wrap"] = repeated(size, "'");
       spec["archive"]["path"] = "/" + repeated(size, "'");
       runner(spec)["logs"] = repeated(size, "'");
     }},
    {"a broker.toml",
     [](json& spec, std::size_t size) {
       spec["flux"]["brokerConfig"] = "#" + repeated(size, "x");
     }},
};

api::Examination examined(const Extreme& extreme, std::size_t size) {
  json object = test::base_object();
  extreme.grow(object["spec"], size);
  return api::examine(object);
}

bool is_accepted(const Extreme& extreme, std::size_t size) {
  return examined(extreme, size).errors.empty();
}

std::size_t data_of(const api::MiniCluster& cluster) {
  std::size_t out = 0;
  for (const EntrypointFile& file : entrypoint_files(cluster)) out += file.text(cluster).size();
  return out;
}

TEST(ConfigMapSize, OfWhateverIsAcceptedIsWithinTheLimitOfTheApiServer) {
  for (const Extreme& extreme : kExtremes) {
    SCOPED_TRACE(extreme.name);
    std::size_t accepted = 64, refused = kMostData;
    ASSERT_TRUE(is_accepted(extreme, accepted));
    ASSERT_FALSE(is_accepted(extreme, refused));
    while (refused - accepted > 4096) {
      const std::size_t middle = (accepted + refused) / 2;
      (is_accepted(extreme, middle) ? accepted : refused) = middle;
    }
    const std::size_t size = data_of(examined(extreme, accepted).cluster);
    EXPECT_LE(size, kMostData);
    EXPECT_GE(size, api::kMostText / 2) << "less than half of what there is room for is accepted";
  }
}

}  // namespace
}  // namespace mc::render
