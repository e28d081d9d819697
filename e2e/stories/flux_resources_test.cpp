#include <iostream>
#include <map>
#include <sstream>

#include "e2e/stories/pod_story.h"
#include "tests/support/folders.h"
#include "tests/support/programs.h"

// What Flux is told about the pods' cores and GPUs, and where their tasks run, with real Flux.
namespace mc::e2e {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Pair;
using ::testing::SizeIs;
using ::testing::StartsWith;
using ::testing::UnorderedElementsAre;
using namespace std::chrono_literals;

// Cores as Flux counts them, of the node on which everything runs.
int cores_of_node() {
  const std::string out =
      test::must_run({"sh", "-c", "lscpu --parse=CORE,SOCKET | grep -v '^#' | sort -u | wc -l"});
  return std::stoi(out);
}

// Without a request, that of the pod would be its limit, and a node has room for few such pods.
json limits(json amounts) {
  amounts = {{"limits", std::move(amounts)}};
  amounts["requests"]["cpu"] = "10m";
  return amounts;
}
json cpu(const char* amount) { return limits({{"cpu", amount}}); }
json with_resources(json resources) { return {{"resources", std::move(resources)}}; }
json with_cpu(const char* amount) { return with_resources(cpu(amount)); }

json in_template(json pod_spec) {
  return {{"pod", {{"template", {{"spec", std::move(pod_spec)}}}}}};
}
json template_of(const char* name, json resources) {
  return in_template({{"containers", {{{"name", name}, {"resources", std::move(resources)}}}}});
}

// GPUs that no machine needs to have, offered to the kubelet for as long as this exists.
class FakeGpus {
 public:
  static constexpr const char* kOther = "example.com/accelerator";  // in the chart's list

  explicit FakeGpus(const test::Kubectl& kubectl)
      : plugin_({test::built_program("device-plugin"), "/var/lib/kubelet/device-plugins",
                 "nvidia.com/gpu=8", "amd.com/gpu=8", std::string(kOther) + "=8",
                 "example.com/network=8"}) {
    EXPECT_TRUE(test::eventually([&] {
      const json node = kubectl.get({"node", "node0"});
      return node.value("/status/allocatable/example.com~1network"_json_pointer, "0") == "8";
    })) << plugin_.err();
  }

 private:
  test::Process plugin_;
};

constexpr int kNode = 1 << 20;  // no limit: all cores of the node

struct Shape {
  const char* name;
  int size = 1;
  int cores = kNode;                // expected of each pod, at most the node's
  int gpus = 0;                     // expected of each pod
  json container = json::object();  // merged into the container that runs Flux
  json spec = json::object();       // merged into the spec
  json sidecar = nullptr;
  Flux flux = Flux::kInImage;
};

json sidecar(json resources) {
  return {{"name", "beside"},
          {"image", kApplicationImage},
          {"command", "sleep 600"},
          {"resources", std::move(resources)}};
}

constexpr const char* kList =
    R"(flux resource list -s up -n -o "{nnodes} pods, {ncores} cores, {ngpus} GPUs")";

// Prints where its process may run.
const std::string kAllowed = "grep Cpus_allowed_list /proc/self/status";

std::vector<Shape> shapes() {
  const json of_node = {{"flux", {{"coresFrom", "Node"}}}};
  const json own_r = {{"commands", {{"pre", R"(flux R encode --hosts="$hosts" --cores=0 --gpus=0-2 \
      >/mnt/flux/config/etc/flux/system/R)"}}}};
  const json gpu = limits({{"cpu", "1"}, {"nvidia.com/gpu", "1"}});
  const json gpus = limits({{"cpu", "2"}, {"amd.com/gpu", "2"}, {"nvidia.com/gpu", "1"}});
  // The instance of a batch has what the batch asked for.
  const json raw = {{"batch", true},
                    {"batchRaw", true},
                    {"launcher", false},
                    {"command", std::string("flux run -N2 -n2 true && ") + kList + "\n"},
                    {"resources", cpu("1")}};
  const Flux view = Flux::kByView;
  return {
      {.name = "no-limit"},
      {.name = "no-limit-view", .size = 2, .flux = view},
      {.name = "half", .cores = 1, .container = with_cpu("500m")},
      {.name = "half-view", .cores = 1, .container = with_cpu("500m"), .flux = view},
      {.name = "one", .cores = 1, .container = with_cpu("1")},
      {.name = "one-two", .size = 2, .cores = 1, .container = with_cpu("1")},
      {.name = "one-four", .size = 4, .cores = 1, .container = with_cpu("1")},
      {.name = "one-view", .size = 2, .cores = 1, .container = with_cpu("1"), .flux = view},
      {.name = "above-one", .cores = 2, .container = with_cpu("1500m")},
      {.name = "two", .size = 2, .cores = 2, .container = with_cpu("2")},
      {.name = "many", .cores = 64, .container = with_cpu("64")},
      {.name = "request", .container = with_resources({{"requests", {{"cpu", "20m"}}}})},
      {.name = "user",
       .cores = 1,
       .container = {{"resources", cpu("1")}, {"securityContext", {{"runAsUser", 1000}}}}},
      {.name = "simple",
       .cores = 1,
       .container = with_cpu("1"),
       .spec = {{"flux", {{"scheduler", {{"simple", true}}}}}}},
      {.name = "larger", .cores = 1, .container = with_cpu("1"), .spec = {{"maxSize", 3}}},

      {.name = "view-limit", .spec = {{"flux", {{"container", with_cpu("1")}}}}, .flux = view},
      {.name = "beside-large",
       .cores = 1,
       .container = with_cpu("1"),
       .sidecar = sidecar(cpu("64"))},
      {.name = "beside-small", .sidecar = sidecar(cpu("500m"))},
      {.name = "pod-one", .cores = 1, .spec = in_template(with_cpu("1"))},
      {.name = "pod-above-one", .cores = 2, .spec = in_template(with_cpu("1500m")), .flux = view},
      {.name = "pod-two",
       .size = 2,
       .cores = 1,
       .container = with_cpu("1"),
       .spec = in_template(with_cpu("2"))},
      {.name = "by-template", .cores = 1, .spec = template_of("by-template", cpu("1"))},
      {.name = "template-wins",
       .cores = 1,
       .container = with_cpu("2"),
       .spec = template_of("template-wins", cpu("1"))},
      {.name = "template-removes",
       .container = with_cpu("1"),
       .spec = template_of("template-removes", {{"limits", nullptr}})},

      {.name = "nvidia", .cores = 1, .gpus = 1, .container = with_resources(gpu)},
      {.name = "amd",
       .size = 2,
       .gpus = 2,
       .container = with_resources(limits({{"amd.com/gpu", "2"}}))},
      {.name = "both", .cores = 2, .gpus = 3, .container = with_resources(gpus)},
      {.name = "charts", .gpus = 1, .container = with_resources(limits({{FakeGpus::kOther, "1"}}))},
      {.name = "no-gpu", .container = with_resources(limits({{"example.com/network", "1"}}))},
      {.name = "gpu-view", .cores = 1, .gpus = 1, .container = with_resources(gpu), .flux = view},
      {.name = "gpu-by-template",
       .cores = 1,
       .gpus = 1,
       .spec = template_of("gpu-by-template", gpu)},
      {.name = "gpu-beside", .cores = 1, .container = with_cpu("1"), .sidecar = sidecar(gpu)},

      {.name = "own-r", .cores = 1, .gpus = 3, .container = own_r},
      {.name = "own-r-two", .size = 2, .cores = 1, .gpus = 3, .container = own_r, .flux = view},
      {.name = "of-node", .container = with_cpu("1"), .spec = of_node},
      {.name = "of-node-view",
       .size = 2,
       .gpus = 1,
       .container = with_resources(gpu),
       .spec = of_node,
       .flux = view},
      {.name = "raw-batch", .size = 2, .cores = 1, .container = raw, .spec = {{"tasks", 2}}},
  };
}

// In a namespace whose LimitRange has the default limit 1.
std::vector<Shape> shapes_with_a_default() {
  return {{.name = "default", .cores = 1},
          {.name = "default-view", .cores = 1, .flux = Flux::kByView},
          {.name = "not-default", .cores = 2, .container = with_cpu("2")}};
}

json minicluster_of(const Shape& shape) {
  json cluster =
      minicluster(shape.name, shape.size, kList, {{"logging", {{"quiet", true}}}}, shape.flux);
  container(cluster)["launcher"] = true;
  container(cluster).merge_patch(shape.container);
  if (!shape.sidecar.is_null()) {
    container(cluster)["runFlux"] = true;
    cluster["spec"]["containers"].push_back(shape.sidecar);
  }
  // merge_patch() would drop a null in the template, which is for the operator.
  json spec = shape.spec;
  if (spec.contains("pod")) cluster["spec"]["pod"] = std::move(spec["pod"]);
  spec.erase("pod");
  cluster["spec"].merge_patch(spec);
  return cluster;
}

// The pods of many MiniClusters start at once, and CI compiles beside them.
constexpr auto kResourcesLimit = 240s;

void create(const test::Kubectl& in, const json& objects) {
  in.must({"create", "-f", "-"},
          json{{"apiVersion", "v1"}, {"kind", "List"}, {"items", objects}}.dump());
}

// MiniClusters of a namespace that start together.
struct Wave {
  const test::Kubectl& in;
  std::vector<Shape> shapes;
};

void start(const Wave& wave) {
  json clusters = json::array();
  for (const Shape& shape : wave.shapes) clusters.push_back(minicluster_of(shape));
  create(wave.in, clusters);
}

void expect_resources(const Wave& wave, int node) {
  std::vector<std::string> wait = {"wait", "--for=condition=Complete",
                                   "--timeout=" + std::to_string(kResourcesLimit.count()) + "s"};
  for (const Shape& shape : wave.shapes) wait.push_back(std::string("minicluster/") + shape.name);
  const Outcome ended = wave.in(wait, "", kResourcesLimit + 10s);
  EXPECT_EQ(ended.code, 0) << ended.err << wave.in({"get", "miniclusters,pods", "-o", "wide"}).out;
  for (const Shape& shape : wave.shapes) {
    const std::string lead =
        std::string("job-name=") + shape.name + ",batch.kubernetes.io/job-completion-index=0";
    const int cores = std::min(node, shape.cores);
    std::ostringstream expected;
    expected << shape.size << " pods, " << shape.size * cores << " cores, "
             << shape.size * shape.gpus << " GPUs";
    const auto lines =
        test::lines_of(wave.in({"logs", "--tail=-1", "-l", lead, "-c", shape.name}).out);
    EXPECT_EQ(lines.empty() ? "nothing" : lines.back(), expected.str()) << shape.name;
  }
}

// Each starts what it needs, and all wait together.
class RealFluxResources : public PodStory {
 protected:
  RealFluxResources() : PodStory(*shared_) {}

  static void SetUpTestSuite() {
    shared_.emplace();
    gpus_.emplace(shared_->kubectl());
    folder_.emplace();
    create(shared_->kubectl(),
           {prints("few-tasks", 4, {{"tasks", 2}}), prints("many-tasks", 4, {{"tasks", 12}}),
            prints("odd-tasks", 2, {{"tasks", 7}}), resized(), with_two_gpus(),
            spins("left", "right"), spins("right", "left")});
  }
  static void TearDownTestSuite() {
    shared_.reset();
    folder_.reset();
    gpus_.reset();
  }

  // A MiniCluster whose tasks print their host names; its pods have a limit of 1.
  static json prints(const std::string& name, int size, const json& spec) {
    json out = minicluster(name, size, "hostname", spec, Flux::kInImage);
    out["spec"]["logging"]["quiet"] = true;
    container(out)["resources"] = cpu("1");
    return out;
  }
  // The number of tasks of such a MiniCluster on each host.
  std::map<std::string, int> hosts(const std::string& name) const {
    EXPECT_TRUE(reaches(name, "Complete", kResourcesLimit));
    std::map<std::string, int> out;
    for (const std::string& host : test::lines_of(log(name, 0))) ++out[host];
    return out;
  }

  // Its container is restarted in its pod. (By default another pod replaces one that fails.)
  static json resized() {
    return prints("resized", 1, {{"interactive", true}, {"pod", {{"restartPolicy", "OnFailure"}}}});
  }

  // Two jobs that run at the same time.
  static json with_two_gpus() {
    json out = minicluster("two-gpus", 1, "", {{"logging", {{"quiet", true}}}}, Flux::kInImage);
    container(out)["launcher"] = true;
    container(out)["resources"] = limits({{"nvidia.com/gpu", "2"}});
    container(out)["commands"]["script"] =
        R"(flux submit --quiet --watch --cc=0-1 -n1 -g1 timeout 60 sh -c '
             touch /tmp/began-{cc}
             until [ -e /tmp/began-0 ] && [ -e /tmp/began-1 ]; do sleep 0.1; done
             echo "GPU $CUDA_VISIBLE_DEVICES"')";
    return out;
  }

  // A task that uses all CPU time that it gets until both such tasks have had enough in a second:
  // more than 0.7 of a core, or all that the node had. Two tasks on one core never have it while
  // another core idles.
  static json spins(const std::string& name, const std::string& other) {
    json out = minicluster(name, 1, "", json::object(), Flux::kInImage);
    container(out)["resources"] = {{"limits", {{"cpu", "1"}}}, {"requests", {{"cpu", "200m"}}}};
    container(out)["volumes"]["both"] = folder_->volume("/both");
    container(out)["commands"]["brokerPre"] = kAllowed;
    container(out)["commands"]["script"] =
        kAllowed + ("\nexec perl -MPOSIX - " + name + " " + other) + R"( <<'END'
          chdir "/both";
          ($me, $other) = @ARGV;
          sub tell_other { open my $file, ">", "$me.$_[0]" or die $! }
          sub both { -e "$me.$_[0]" && -e "$other.$_[0]" }
          tell_other("here");
          for ($end = time + 60; !both("here") && time < $end;) { select undef, undef, undef, 0.1 }
          sub idle { open my $file, "<", "/proc/stat" or die $!; (split " ", <$file>)[4] }
          for ($end = time + 40; !both("enough") && time < $end;) {
            ($began, $user, $system) = POSIX::times();
            $idle = idle();
            do {
              for (1 .. 10000) {}
              ($now, $user_now, $system_now) = POSIX::times();
            } until $now - $began >= 100;
            $had = ($user_now + $system_now - $user - $system) / ($now - $began);
            $idled = (idle() - $idle) / ($now - $began);
            tell_other("enough") if $had > 0.7 || $idled < 0.3;
          }
          printf "enough: %s; had %.2f of a core in the last second, while %.2f idled\n",
            both("enough") ? "yes" : "no", $had, $idled;
END
)";
    return out;
  }
  inline static std::optional<SharedNamespace> shared_;
  inline static std::optional<FakeGpus> gpus_;
  inline static std::optional<NodeFolder> folder_;
};

TEST_F(RealFluxResources, FewerTasksThanPodsEachHaveAPod) {
  EXPECT_THAT(hosts("few-tasks"), AllOf(SizeIs(2), Each(Pair(HasSubstr("few-tasks-"), 1))));
}

TEST_F(RealFluxResources, MoreTasksThanCoresAreTheSameNumberOnEachPod) {
  EXPECT_THAT(hosts("many-tasks"), AllOf(SizeIs(4), Each(Pair(HasSubstr("many-tasks-"), 3))));
}

TEST_F(RealFluxResources, TasksThatThePodsDoNotDivideAllRun) {
  const auto found = hosts("odd-tasks");
  ASSERT_THAT(found, SizeIs(2));
  EXPECT_EQ(found.begin()->second + found.rbegin()->second, 7);
}

TEST_F(RealFluxResources, JobsThatRunAtTheSameTimeHaveDifferentGpus) {
  ASSERT_TRUE(reaches("two-gpus", "Complete", kResourcesLimit));
  EXPECT_THAT(test::lines_of(log("two-gpus", 0)), UnorderedElementsAre("GPU 0", "GPU 1"));
}

TEST_F(RealFluxResources, TasksOfTwoPodsThatShareANodeEachFindACore) {
  for (const char* name : {"left", "right"}) {
    ASSERT_TRUE(reaches(name, "Complete", kResourcesLimit));
    std::vector<std::string> allowed;
    std::string enough;
    for (const std::string& line : test::lines_of(log(name, 0))) {
      if (line.starts_with("Cpus_allowed_list")) allowed.push_back(line);
      if (line.starts_with("enough: ")) enough = line;
    }
    std::cout << name << " " << enough << std::endl;
    ASSERT_THAT(allowed, SizeIs(2)) << log(name, 0);
    EXPECT_EQ(allowed[0], allowed[1]) << "the pod's and the task's";
    EXPECT_THAT(enough, StartsWith("enough: yes"));
  }
}

TEST_F(RealFluxResources, AResizeInPlaceCountsFromTheNextStartOfTheContainer) {
  const std::string one = "1 pods, 1 cores", two = "1 pods, 2 cores";
  const auto status = [&] {
    return pod("resized", 0).at("/status/containerStatuses/0"_json_pointer);
  };
  ASSERT_TRUE(reaches("resized", "Ready", kResourcesLimit));
  flux_answers("resized", kList, one);
  kubectl.must({"patch", "pod", pod_name("resized", 0), "--subresource=resize", "--patch",
                R"({"spec": {"containers": [{"name": "resized",
                                             "resources": {"limits": {"cpu": "2"}}}]}})"});
  EXPECT_TRUE(test::eventually(
      [&] { return status().value("/resources/limits/cpu"_json_pointer, "") == "2"; }, 60s))
      << pod("resized", 0).dump(1);
  EXPECT_THAT(ask_flux("resized", kList).out, HasSubstr(one));
  exec("resized", 0, kKillBroker);
  EXPECT_TRUE(test::eventually([&] { return status().at("restartCount") == 1; }, 60s));
  flux_answers("resized", kList, cores_of_node() > 1 ? two : one);
}

// About a minute: 40 MiniClusters, in waves: all at once they would wait for each other.
TEST_F(RealFluxResources, AreThoseOfThePodsInFortyShapes) {
  constexpr std::size_t kTogether = 8;
  const test::Stopwatch watch;
  const int node = cores_of_node();
  const SharedNamespace with_default;
  create(with_default.kubectl(), json::array({json::parse(R"({
    "apiVersion": "v1", "kind": "LimitRange", "metadata": {"name": "default"}, "spec": {"limits": [
      {"type": "Container", "default": {"cpu": "1"}, "defaultRequest": {"cpu": "10m"}}]}})")}));
  std::vector<Wave> waves = {{with_default.kubectl(), shapes_with_a_default()}};
  for (const Shape& shape : shapes()) {
    if (waves.size() == 1 || waves.back().shapes.size() == kTogether)
      waves.push_back({kubectl, {}});
    waves.back().shapes.push_back(shape);
  }
  start(waves.front());
  for (std::size_t i = 0; i < waves.size(); ++i) {
    if (i + 1 < waves.size()) start(waves[i + 1]);
    expect_resources(waves[i], node);
  }
  std::cout << "all shapes: " << watch.seconds() << " s" << std::endl;
}

// As long as this exists, pods of the class Guaranteed have cores for themselves (the kubelet's
// static CPU manager). One core is left for the other pods.
class ExclusiveCores {
 public:
  explicit ExclusiveCores(const test::Kubectl& kubectl) : kubectl_(kubectl), before_(capacity()) {
    restart({"--cpu-manager-policy=static", "--system-reserved=cpu=100m"});
    EXPECT_TRUE(test::eventually([&] { return capacity() != before_; }, 60s));
  }
  ~ExclusiveCores() {
    restart({});
    EXPECT_TRUE(test::eventually([&] { return capacity() == before_; }, 60s));
  }
  ExclusiveCores(const ExclusiveCores&) = delete;
  ExclusiveCores& operator=(const ExclusiveCores&) = delete;

 private:
  std::string capacity() const {
    return kubectl_.get({"node", "node0"}).value("/status/allocatable/cpu"_json_pointer, "");
  }
  void restart(const std::vector<std::string>& options) const {
    std::vector<std::string> command = {test::source_dir() / "e2e/cluster/kubelet.sh",
                                        kubectl_.control_plane().parent_path()};
    command.insert(command.end(), options.begin(), options.end());
    test::must_run(command);
  }

  const test::Kubectl& kubectl_;
  std::string before_;
};

class RealFluxExclusiveCores : public PodStory {};

// Two restarts of the kubelet.
TEST_F(RealFluxExclusiveCores, AreThoseOfFluxAndItsTasks) {
  const ExclusiveCores exclusive(kubectl);
  json cluster = minicluster("own", 1, "", {{"logging", {{"quiet", true}}}}, Flux::kInImage);
  container(cluster)["resources"] = {{"limits", {{"cpu", "1"}, {"memory", "400Mi"}}}};
  container(cluster)["commands"]["script"] = std::string(kList) + "\n" + kAllowed;
  apply(cluster);
  ASSERT_TRUE(reaches("own", "Complete"));
  EXPECT_EQ(pod("own", 0).at("status").at("qosClass"), "Guaranteed");
  EXPECT_THAT(test::lines_of(log("own", 0)),
              ElementsAre("1 pods, 1 cores, 0 GPUs", MatchesRegex("Cpus_allowed_list:\t[0-9]+")));
}

}  // namespace
}  // namespace mc::e2e
