#include "bench/fleet/floor.h"

#include <time.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "common/api/examine.h"
#include "common/base/rfc3339.h"
#include "common/flux/curve.h"
#include "common/kube/events.h"
#include "common/render/render.h"
#include "services/api_resources.h"
#include "services/controller/status/events.h"
#include "services/controller/status/status.h"
#include "tests/services/controller/observed_builder.h"

namespace mc::bench {
namespace {

// Of the MiniCluster for which the bodies are made; as long as those that replace them.
constexpr const char* kName = "fleet-name00";
constexpr const char* kUid = "01234567-89ab-cdef-0123-456789abcdef";

std::string replaced(std::string text, std::string_view what, const std::string& by) {
  for (std::size_t at = text.find(what); at != std::string::npos;
       at = text.find(what, at + by.size())) {
    text.replace(at, what.size(), by);
  }
  return text;
}

const kube::Resource& resource_of(const json& object) {
  for (const kube::Resource* one :
       {&kube::kConfigMaps, &kube::kSecrets, &kube::kServices, &kube::kJobs}) {
    if (one->kind == text_at(object, {"kind"})) return *one;
  }
  throw std::runtime_error("the floor writes no " + text_at(object, {"kind"}));
}

std::vector<kube::Request> bodies(const json& spec) {
  json cluster = minicluster(kName, spec);
  cluster["metadata"]["uid"] = kUid;
  const api::Examination examination = api::examine(cluster);
  std::vector<kube::Request> out;
  controller::Observed observed;
  observed.cluster =
      std::make_shared<const controller::MiniCluster>(controller::read_mini_cluster(cluster));
  const std::string certificate =
      flux::curve_certificate(flux::generate_curve_keys(), examination.cluster.name);
  for (const json& object : render::render(examination.cluster, certificate)) {
    out.push_back(kube::request::create(resource_of(object), object));
    controller::test::add_owned(observed, object);
  }
  const auto now = std::chrono::system_clock::now();
  const controller::ClusterStatus status =
      controller::status(observed, examination, {}, std::chrono::floor<std::chrono::seconds>(now));
  out.push_back(kube::request::patch(kMiniClusters, "default", kName, kube::PatchType::Merge,
                                     {{"status", controller::to_json(status)}}, "status"));
  const controller::StatusEvent first = controller::events({}, status).at(0);
  const kube::ObjectReference about{.api_version = kube::api_version(kMiniClusters),
                                    .kind = std::string(kMiniClusters.kind),
                                    .ns = "default",
                                    .name = kName,
                                    .uid = kUid};
  out.push_back(kube::request::create(
      kube::kEvents, kube::make_event(about, kube::EventType::Normal, first.reason, first.message,
                                      {"minicluster-controller", "floor"}, now)));
  return out;
}

// CPU time of this thread since its last call of this.
double cpu_seconds_since_last() {
  static thread_local double last = 0;
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  const double now = static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
  return now - std::exchange(last, now);
}

}  // namespace

struct Floor::Writer {
  Writer(kube::Transport& to, int connections, const json& spec)
      : transport(to), requests(bodies(spec)) {
    for (int i = 0; i < connections; ++i) threads.emplace_back([this] { work(); });
  }

  void work() {
    while (true) {
      std::unique_lock lock(mutex);
      cpu += cpu_seconds_since_last();
      changed.wait(lock, [&] { return ended || !queue.empty(); });
      if (queue.empty()) return;
      const json cluster = std::move(queue.front());
      queue.pop_front();
      lock.unlock();
      write(text_at(cluster, {"metadata", "name"}), text_at(cluster, {"metadata", "uid"}));
    }
  }

  void write(const std::string& name, const std::string& uid) {
    for (kube::Request request : requests) {
      request.path = replaced(request.path, kName, name);
      request.body = replaced(replaced(request.body, kName, name), kUid, uid);
      const auto answer = transport.send(request);
      if (!answer || answer->status >= 300) {
        std::fprintf(stderr, "floor: %s: %s\n", request.what.c_str(),
                     answer ? answer->body.c_str() : answer.error().message.c_str());
      }
    }
  }

  kube::Transport& transport;
  const std::vector<kube::Request> requests;
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<json> queue;
  bool ended = false;
  double cpu = 0;  // seconds
  std::vector<std::jthread> threads;
};

Floor::Floor(kube::Transport& transport, int connections, const json& spec)
    : writer_(std::make_unique<Writer>(transport, connections, spec)) {}

Floor::~Floor() { end(); }

double Floor::end() {
  {
    const std::scoped_lock lock(writer_->mutex);
    writer_->ended = true;
  }
  writer_->changed.notify_all();
  writer_->threads.clear();
  return writer_->cpu;
}

void Floor::add(const json& cluster) {
  {
    const std::scoped_lock lock(writer_->mutex);
    writer_->queue.push_back(cluster);
  }
  writer_->changed.notify_one();
}

}  // namespace mc::bench
