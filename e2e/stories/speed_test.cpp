#include <algorithm>
#include <cstdio>

#include "e2e/stories/pod_story.h"

// How long a user waits for the first line of output, compared with plain Indexed Jobs of the same
// image: one that just prints it, and one that starts the same number of brokers in one pod.
namespace mc::e2e {
namespace {

constexpr int kRuns = 3;

class RealFluxSpeed : public PodStory {
 protected:
  // Seconds until `text` is in the log of the pod with index 0.
  double seconds_to(const json& object, const std::string& text) const {
    const std::string name = object.at("metadata").at("name");
    const StopWatch watch;
    apply(object);
    EXPECT_TRUE(log_has(name, 0, text));
    const double took = watch.seconds();
    kubectl.must({"delete", object.at("kind").get<std::string>(), name, "--cascade=foreground"});
    return took;
  }
};

json plain_job(const std::string& name, const std::string& command) {
  return {{"apiVersion", "batch/v1"},
          {"kind", "Job"},
          {"metadata", {{"name", name}}},
          {"spec",
           {{"completionMode", "Indexed"},
            {"completions", 4},
            {"parallelism", 4},
            {"template",
             {{"spec",
               {{"restartPolicy", "Never"},
                {"containers",
                 {{{"name", "main"},
                   {"image", kFluxImage},
                   {"command", {"sh", "-c", command}}}}}}}}}}}};
}

void print(const char* what, std::vector<double> seconds) {
  std::ranges::sort(seconds);
  std::printf("%-44s median %.1f s (%.1f to %.1f)\n", what, seconds[seconds.size() / 2],
              seconds.front(), seconds.back());
}

TEST_F(RealFluxSpeed,
       FromApplyToTheFirstOutputOfFourPodsIsLessThanThreeTimesThatOfFourBrokersInOnePod) {
  const std::string brokers =
      "[ $JOB_COMPLETION_INDEX != 0 ] || flux start --test-size=4 sh -c 'echo; echo output'";
  std::vector<double> plain, one_pod, in_image, by_view;
  for (int i = 0; i < kRuns; ++i) {
    const std::string n = std::to_string(i);
    plain.push_back(seconds_to(plain_job("plain-" + n, "echo; echo output"), "\noutput"));
    one_pod.push_back(seconds_to(plain_job("brokers-" + n, brokers), "\noutput"));
    in_image.push_back(seconds_to(
        minicluster("image-" + n, 4, "echo output", json::object(), Flux::kInImage), "\noutput"));
    by_view.push_back(seconds_to(minicluster("view-" + n, 4, "echo output"), "\noutput"));
  }
  print("apply to output, plain Indexed Job:", plain);
  print("apply to output, four brokers in one pod:", one_pod);
  print("apply to output, MiniCluster, Flux in image:", in_image);
  print("apply to output, MiniCluster, flux view:", by_view);
  std::ranges::sort(one_pod);
  std::ranges::sort(in_image);
  EXPECT_LT(in_image[kRuns / 2], 3 * one_pod[kRuns / 2]);
}

}  // namespace
}  // namespace mc::e2e
