#include <cstdio>

#include "e2e/stories/pod_story.h"

// How long a user waits for the first line of output, compared with a plain Indexed Job of the same
// image that starts the same number of brokers in one pod.
namespace mc::e2e {
namespace {

constexpr double kMostTimes = 3;

class RealFluxSpeed : public PodStory {
 protected:
  // Seconds until `text` is in the log of the pod with index 0.
  double seconds_to(const json& object, const std::string& text) const {
    const std::string name = object.at("metadata").at("name");
    const test::Stopwatch watch;
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

// Of most of three pairs; the third only if the others differ. bench/first_output measures.
TEST_F(RealFluxSpeed,
       FromApplyToTheFirstOutputOfFourPodsIsLessThanThreeTimesThatOfFourBrokersInOnePod) {
  const std::string brokers =
      "[ $JOB_COMPLETION_INDEX != 0 ] || flux start --test-size=4 sh -c 'echo; echo output'";
  int below = 0, above = 0;
  while (below < 2 && above < 2) {
    const std::string n = std::to_string(below + above);
    const double one_pod = seconds_to(plain_job("brokers-" + n, brokers), "\noutput");
    const double four_pods = seconds_to(
        minicluster("image-" + n, 4, "echo output", json::object(), Flux::kInImage), "\noutput");
    std::printf("apply to output: four brokers in one pod %.1f s, in four pods %.1f s\n", one_pod,
                four_pods);
    ++(four_pods < kMostTimes * one_pod ? below : above);
  }
  EXPECT_EQ(below, 2);
}

}  // namespace
}  // namespace mc::e2e
