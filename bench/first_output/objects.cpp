#include "bench/first_output/objects.h"

namespace mc::bench {
namespace {

// The images of e2e/images.
constexpr const char* kApplicationImage = "localhost/application:e2e";
constexpr const char* kFluxImage = "localhost/flux:e2e";
constexpr const char* kFluxViewImage = "localhost/flux-view:e2e";

json job(const std::string& name, const std::string& ns, int pods, const std::string& command) {
  const json container = {
      {"name", "main"}, {"image", kFluxImage}, {"command", {"sh", "-c", command}}};
  return {{"apiVersion", "batch/v1"},
          {"kind", "Job"},
          {"metadata", {{"name", name}, {"namespace", ns}}},
          {"spec",
           {{"completionMode", "Indexed"},
            {"completions", pods},
            {"parallelism", pods},
            {"template",
             {{"spec", {{"restartPolicy", "Never"}, {"containers", json::array({container})}}}}}}}};
}

json minicluster(const std::string& name, const std::string& ns, const char* image, json flux) {
  const json container = {{"image", image}, {"command", std::string("echo ") + kOutput}};
  return {{"apiVersion", "flux-framework.org/v1alpha2"},
          {"kind", "MiniCluster"},
          {"metadata", {{"name", name}, {"namespace", ns}}},
          {"spec",
           {{"size", kPods},
            {"containers", json::array({container})},
            {"flux", {{"container", std::move(flux)}}}}}};
}

}  // namespace

json plain_job(const std::string& name, const std::string& ns) {
  return job(name, ns, kPods, std::string("echo ") + kOutput);
}

json brokers_in_one_pod(const std::string& name, const std::string& ns) {
  const std::string count = std::to_string(kPods);
  return job(name, ns, 1,
             std::string("echo ") + kBegin + "; flux start --test-size=" + count +
                 " -Slog-stderr-level=6 -Slog-stderr-mode=local flux submit -N" + count + " -n" +
                 count + " --watch echo " + kOutput);
}

json cluster_with_flux(const std::string& name, const std::string& ns) {
  return minicluster(name, ns, kFluxImage, {{"disable", true}});
}

json cluster_with_view(const std::string& name, const std::string& ns) {
  return minicluster(name, ns, kApplicationImage, {{"image", kFluxViewImage}});
}

}  // namespace mc::bench
