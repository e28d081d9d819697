#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/first_output/objects.h"
#include "bench/first_output/sources.h"
#include "bench/first_output/timeline.h"
#include "bench/first_output/watch.h"
#include "bench/support/plot.h"
#include "bench/support/report.h"
#include "common/api/model/conditions.h"
#include "common/kube/client.h"
#include "common/kube/config.h"
#include "common/kube/object.h"
#include "common/kube/transport.h"
#include "services/api_resources.h"
#include "tests/support/must.h"

// Usage: bench_first_output CONTROL-PLANE EVENTS PLOT [ROUNDS]: what happens between the creation
// of an object and the first output of its command, and from there to its end, on the node of
// e2e/cluster. CONTROL-PLANE is the folder of tests/control_plane/control-plane.sh; EVENTS the file
// that the output of `ctr events` is written to; PLOT the SVG that is written. Runs in the
// cluster's namespaces (run.sh).
namespace mc::bench {
namespace {

using test::must;

// What is compared, in the order of a round.
struct Kind {
  const char* name;
  const kube::Resource* resource;
  json (*object)(const std::string& name, const std::string& ns);
};
constexpr Kind kKinds[] = {{"plain", &kube::kJobs, plain_job},
                           {"brokers", &kube::kJobs, brokers_in_one_pod},
                           {"image", &kMiniClusters, cluster_with_flux},
                           {"view", &kMiniClusters, cluster_with_view}};
constexpr std::size_t kPlain = 0, kBrokers = 1, kImage = 2, kView = 3;
constexpr const char* kNamespace = "first-output";

// The last state of each object.
std::vector<const Arrival*> last_of(const Arrivals& all) {
  std::map<std::string, const Arrival*> by_uid;
  for (const Arrival& arrival : all) by_uid[kube::metadata_text(arrival.object, "uid")] = &arrival;
  std::vector<const Arrival*> out;
  out.reserve(by_uid.size());
  for (const auto& [uid, arrival] : by_uid) out.push_back(arrival);
  return out;
}
bool all_ended(const Arrivals& all) {
  return std::ranges::all_of(last_of(all), [](const Arrival* pod) {
    const std::string phase = text_at(pod->object, {"status", "phase"});
    return pod->deleted || phase == "Succeeded" || phase == "Failed";
  });
}
bool all_gone(const Arrivals& all) { return std::ranges::all_of(last_of(all), &Arrival::deleted); }

bool is_complete(const Arrivals& all, const std::string& name) {
  return std::ranges::any_of(all, [&](const Arrival& arrival) {
    return kube::metadata_text(arrival.object, "name") == name &&
           api::true_condition_of(arrival.object, "Complete") != nullptr;
  });
}

class Bench {
 public:
  Bench(const std::filesystem::path& control_plane, const std::filesystem::path& events)
      : transport_(must(kube::Transport::create(
            must(kube::load_config((control_plane / "kubeconfig").string()))))),
        audit_(control_plane / "audit.log"),
        events_(events) {}

  // From the creation of the object to the end of its Job. Returns once all its pods are gone.
  Timeline run(const Kind& kind, const std::string& name) {
    const kube::Client client(*transport_);
    Recording pods(*transport_, kube::kPods, kNamespace),
        jobs(*transport_, kube::kJobs, kNamespace);
    Recording clusters(*transport_, kMiniClusters, kNamespace);
    audit_.read();
    events_.read();
    Observed observed{.ns = kNamespace, .name = name, .sent = now()};
    must(client.create(*kind.resource, kind.object(name, kNamespace)));
    const auto complete = [&](const Arrivals& all) { return is_complete(all, name); };
    observed.jobs = jobs.until(complete);
    if (kind.resource == &kMiniClusters) observed.clusters = clusters.until(complete);
    observed.pods = pods.until(all_ended);
    observed.writes = parse_audit(audit_.read());
    observed.tasks = parse_events(events_.read());
    Timeline out = timeline(observed);
    must(client.remove(*kind.resource, kNamespace, name));
    pods.until(all_gone);
    return out;
  }

 private:
  std::unique_ptr<kube::Transport> transport_;
  NewLines audit_, events_;
};

// The rounds of one kind.
using Rounds = std::vector<Timeline>;

// Of the rounds that have the figure.
double median_of_known(std::vector<double> all) {
  std::erase_if(all, [](double value) { return std::isnan(value); });
  return all.empty() ? std::numeric_limits<double>::quiet_NaN() : median(std::move(all));
}

Reached at(const Timeline& timeline, const char* step) {
  const auto found = timeline.find(step);
  return found == timeline.end() ? Reached{} : found->second;
}

double median_of(const Rounds& rounds, const char* step, double Reached::* which) {
  std::vector<double> all;
  for (const Timeline& timeline : rounds) all.push_back(at(timeline, step).*which);
  return median_of_known(std::move(all));
}

// "0.52", or "0.52 to 0.61" from the lead to the last pod.
std::string cell(const Rounds& rounds, const char* step) {
  const double lead = median_of(rounds, step, &Reached::lead);
  const double last = median_of(rounds, step, &Reached::last);
  if (std::isnan(lead)) return "";
  char text[64];
  const bool same = std::abs(last - lead) < 0.005;
  std::snprintf(text, sizeof text, same ? "%.2f" : "%.2f to %.2f", lead, last);
  return text;
}

void print_steps(const std::vector<Rounds>& all) {
  std::printf(
      "| seconds after creation | plain Job | brokers in one pod | Flux in the image | view |\n"
      "| --- | --- | --- | --- | --- |\n");
  for (const char* step : step::kAll) {
    std::string line;
    for (const Rounds& rounds : all) line += " | " + cell(rounds, step);
    std::printf("| %s%s |\n", step, line.c_str());
  }
}

double output(const Timeline& timeline) { return at(timeline, step::kOutput).lead; }
double bare(const Timeline& brokers) { return output(brokers) - at(brokers, step::kBegin).lead; }
// To the Job's end, and to that of the MiniCluster if there is one.
double to_complete(const Timeline& timeline) {
  return std::fmax(at(timeline, step::kComplete).lead, at(timeline, step::kClusterComplete).lead) -
         output(timeline);
}

// The median over the rounds, with the smallest and the largest.
Figure print_figure(const char* what, std::optional<double> target, const std::vector<Rounds>& all,
                    const std::function<double(std::size_t round)>& figure) {
  std::vector<double> values(all[kPlain].size());
  for (std::size_t round = 0; round < values.size(); ++round) values[round] = figure(round);
  const auto [least, most] = std::ranges::minmax(values);
  const double middle = median_of_known(values);
  std::printf("| %s | %.2f | %.2f to %.2f | ", what, middle, least, most);
  std::printf(target ? "%.1f |\n" : "|\n", target.value_or(0));
  return {
      .what = what, .ours = middle, .target = target ? std::optional(Goal{*target}) : std::nullopt};
}

std::vector<Figure> print_figures(const std::vector<Rounds>& all) {
  const auto ratio = [&](std::size_t kind) {
    return [&all, kind](std::size_t round) {
      return (output(all[kind][round]) - output(all[kPlain][round])) / bare(all[kBrokers][round]);
    };
  };
  const auto end = [&](std::size_t kind) {
    return [&all, kind](std::size_t round) { return to_complete(all[kind][round]); };
  };
  const auto longer_end = [&](std::size_t kind) {
    return [&all, kind](std::size_t round) {
      return to_complete(all[kind][round]) - to_complete(all[kPlain][round]);
    };
  };
  std::printf("\n| | median | range | target |\n| --- | --- | --- | --- |\n");
  const auto bare_flux = [&](std::size_t round) { return bare(all[kBrokers][round]); };
  return {
      print_figure("bare Flux: `flux start --test-size=4` to its first output, s", {}, all,
                   bare_flux),
      print_figure("Flux in the image: (ours - plain) / bare Flux", 1.3, all, ratio(kImage)),
      print_figure("view: (ours - plain) / bare Flux", {}, all, ratio(kView)),
      print_figure("plain: first output to complete, s", {}, all, end(kPlain)),
      print_figure("Flux in the image: output to complete, longer than plain, s", 1, all,
                   longer_end(kImage)),
      print_figure("view: output to complete, longer than plain, s", 1, all, longer_end(kView))};
}

void run(const std::filesystem::path& control_plane, const std::filesystem::path& events,
         const std::string& plot, int rounds) {
  Bench bench(control_plane, events);
  std::vector<Rounds> all(std::size(kKinds));
  for (int round = 0; round <= rounds; ++round) {
    std::fprintf(stderr, "%s", round == 0 ? "not counted:" : "first output:");
    for (std::size_t kind = 0; kind < std::size(kKinds); ++kind) {
      Timeline timeline =
          bench.run(kKinds[kind], kKinds[kind].name + ("-" + std::to_string(round)));
      std::fprintf(stderr, " %s %.2f s", kKinds[kind].name, output(timeline));
      if (round > 0) all[kind].push_back(std::move(timeline));  // the first one unpacks the images
    }
    std::fprintf(stderr, "\n");
  }
  std::printf("%d pods; medians of %d alternating rounds; A to B: pod 0 to the last pod\n", kPods,
              rounds);
  print_steps(all);
  save(plot, svg_of_targets(print_figures(all)));
}

}  // namespace
}  // namespace mc::bench

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fputs("usage: bench_first_output CONTROL-PLANE EVENTS PLOT [ROUNDS]\n", stderr);
    return 2;
  }
  try {
    mc::bench::run(argv[1], argv[2], argv[3], argc > 4 ? std::stoi(argv[4]) : 5);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_first_output: %s\n", error.what());
    return 1;
  }
}
