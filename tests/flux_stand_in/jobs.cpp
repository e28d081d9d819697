#include "tests/flux_stand_in/jobs.h"

#include <algorithm>
#include <fstream>
#include <utility>

namespace mc::stand_in {
namespace {

constexpr int kNoRoute = 68;
constexpr const char* kStates[] = {"PD", "R", "CD"};

std::string job_name(std::int64_t id) { return "f" + std::to_string(id); }

// f7 or 7; 0 where it is none.
std::int64_t job_number(const std::string& name) {
  const std::string digits = name.substr(name.starts_with('f') ? 1 : 0);
  const bool number = !digits.empty() && digits.find_first_not_of("0123456789") == digits.npos;
  return number ? std::stoll(digits) : 0;
}

bool append_to(const std::string& path, const std::string& text) {
  return static_cast<bool>(std::ofstream(path, std::ios::app | std::ios::binary) << text);
}

}  // namespace

bool Jobs::request(const Client& client, const json& request) {
  const std::string what = request.value("op", "");
  if (what == "submit") {
    const std::int64_t id = submit(request);
    links_.answer(client, {{"id", job_name(id)}});
    if (request.value("watch", false)) watch(client, id);
  } else if (what == "exec") {
    watch(client, submit(request));
  } else if (what == "attach") {
    watch(client, job_number(request.value("id", "")));
  } else if (what == "wait") {
    wait(client, request);
  } else if (what == "jobs") {
    links_.answer(client, list(request.value("parent", "")));
  } else {
    return false;
  }
  return true;
}

std::int64_t Jobs::submit(const json& request) {
  jobs_[next_].request = request;
  return next_++;
}

void Jobs::watch(const Client& client, std::int64_t id) {
  const auto found = jobs_.find(id);
  if (found == jobs_.end()) return links_.answer(client, {{"error", "unknown job id"}});
  Job& job = found->second;
  for (const json& event : job.log) links_.answer(client, event);
  if (job.state == State::Done) return links_.answer(client, {{"code", job.code}});
  job.watchers.insert(client);
}

std::set<std::int64_t> Jobs::of(const json& request) const {
  std::set<std::int64_t> out;
  for (const json& name : request.value("ids", json::array())) {
    out.insert(job_number(name.get<std::string>()));
  }
  const bool waitable = request.value("waitable", false), all = request.value("all", false);
  for (const auto& [id, job] : jobs_) {
    const bool ours = job.request["op"] == "submit" &&
                      job.request.value("parent", "") == request.value("parent", "");
    if (all && ours && (!waitable || job.request.value("waitable", false))) out.insert(id);
  }
  return out;
}

void Jobs::wait(const Client& client, const json& request) {
  Waiter waiter{client, of(request), 0, json::array()};
  for (const std::int64_t id : std::set(waiter.jobs)) {
    const auto found = jobs_.find(id);
    if (found == jobs_.end()) return links_.answer(client, {{"error", "unknown job id"}});
    if (found->second.state != State::Done) continue;
    waiter.jobs.erase(id);
    waiter.code = std::max(waiter.code, found->second.code);
    if (found->second.code != 0) waiter.failed.push_back(job_name(id));
  }
  if (waiter.jobs.empty()) {
    return links_.answer(client, {{"code", waiter.code}, {"failed", waiter.failed}});
  }
  waiters_.push_back(std::move(waiter));
}

json Jobs::list(const std::string& parent) const {
  json out = json::array();
  for (const auto& [id, job] : jobs_) {
    if (job.request["op"] != "submit" || job.request.value("parent", "") != parent) continue;
    const json& argv = job.request["argv"];
    const bool failed = job.state == State::Done && job.code != 0;
    out.push_back({{"id", job_name(id)},
                   {"name", argv.at(0)},
                   {"state", failed ? "F" : kStates[static_cast<int>(job.state)]},
                   {"ntasks", job.request.value("tasks", 1)},
                   {"active", job.state != State::Done}});
  }
  return {{"jobs", out}};
}

std::vector<std::size_t> Jobs::placed(const Job& job, const std::set<std::size_t>& online,
                                      std::string& never) const {
  const auto tasks = job.request.value("tasks", std::size_t{0});
  auto nodes = job.request.value("nodes", std::size_t{0});
  const auto cores = static_cast<std::size_t>(cores_);
  if (nodes == 0) nodes = (std::max<std::size_t>(tasks, 1) + cores - 1) / cores;
  const std::size_t count = tasks == 0 ? nodes : tasks;
  if (count < nodes) never = "node count must not be greater than task count";
  if (nodes > size_ || (count + nodes - 1) / nodes > cores) never = "unsatisfiable request";
  if (online.size() < nodes || !never.empty()) return {};
  // In blocks: the first nodes take one task more where it does not come out even.
  std::vector<std::size_t> out;
  auto rank = online.begin();
  for (std::size_t node = 0; node < nodes; ++node, ++rank) {
    out.insert(out.end(), count / nodes + (node < count % nodes ? 1 : 0), *rank);
  }
  return out;
}

// `flux exec`: a rank that is not there does not keep the others from running it.
void Jobs::start_everywhere(std::int64_t id, Job& job, const std::set<std::size_t>& online) {
  std::vector<std::size_t> ranks;
  for (const std::size_t rank : job.request["ranks"].get<std::set<std::size_t>>()) {
    if (online.contains(rank)) {
      ranks.push_back(rank);
      continue;
    }
    say(job, 0, "flux-exec: rank " + std::to_string(rank) + ": No route to host\n");
    job.code = kNoRoute;
  }
  if (ranks.empty()) return finish(id, job);
  start(id, job, ranks);
}

void Jobs::schedule(const std::set<std::size_t>& online) {
  for (auto& [id, job] : jobs_) {
    if (job.state != State::Pending) continue;
    if (job.request["op"] == "exec") {
      start_everywhere(id, job, online);
      continue;
    }
    std::string never;
    const std::vector<std::size_t> ranks = placed(job, online, never);
    if (!never.empty()) {
      say(job, 2, job_name(id) + ": exception: type=alloc note=" + never + "\n");
      job.code = 1;
      finish(id, job);
    } else if (!ranks.empty()) {
      start(id, job, ranks);
    }
  }
}

void Jobs::start(std::int64_t id, Job& job, const std::vector<std::size_t>& ranks) {
  job.state = State::Running;
  for (const char* file : {"output", "error"}) {
    const std::string path = job.request.value(file, "");
    if (path.empty() || append_to(path, "")) continue;
    say(job, 0, "flux-shell: FATAL: cannot open " + path + "\n");
    job.code = 1;
    return finish(id, job);
  }
  json task = {{"job", id}, {"argv", job.request["argv"]}, {"cwd", job.request.value("cwd", "")}};
  for (std::size_t i = 0; i < ranks.size(); ++i) job.tasks[static_cast<std::int64_t>(i)] = ranks[i];
  for (const auto& [number, rank] : std::map(job.tasks)) {
    task["task"] = number;
    task["env"] = job.request["env"];
    if (job.request["op"] == "submit") {
      task["env"]["FLUX_JOB_ID"] = job_name(id);
      task["env"]["FLUX_JOB_SIZE"] = std::to_string(ranks.size());
      task["env"]["FLUX_JOB_NNODES"] = std::to_string(std::set(ranks.begin(), ranks.end()).size());
      task["env"]["FLUX_TASK_RANK"] = std::to_string(number);
      if (job.request.value("batch", false)) task["env"]["FLUX_STAND_IN_BATCH"] = job_name(id);
    }
    links_.start(rank, task);
  }
}

void Jobs::say(Job& job, int stream, const std::string& data) {
  const std::string output = job.request.value("output", ""),
                    error = job.request.value("error", "");
  const std::string file = stream == 2 && !error.empty() ? error : output;
  if (stream > 0 && !file.empty()) {
    append_to(file, data);
    return;
  }
  const json event = {{"stream", stream == 1 ? 1 : 2}, {"data", data}};
  for (const Client& watcher : job.watchers) links_.answer(watcher, event);
  job.log.push_back(event);
}

void Jobs::event(const json& event) {
  const auto found = jobs_.find(event.value("job", std::int64_t{0}));
  if (found == jobs_.end() || found->second.state != State::Running) return;
  Job& job = found->second;
  if (event.contains("data")) return say(job, event["stream"], event["data"]);
  job.code = std::max(job.code, event.value("code", 1));
  job.tasks.erase(event.value("task", std::int64_t{-1}));
  if (job.tasks.empty()) finish(found->first, job);
}

void Jobs::lost(std::size_t rank) {
  for (auto& [id, job] : jobs_) {
    for (const auto& [number, at] : std::map(job.tasks)) {
      if (at != rank || job.state != State::Running) continue;
      say(job, 0,
          job_name(id) + ": exception: type=node-failure rank " + std::to_string(rank) + "\n");
      event({{"job", id}, {"task", number}, {"code", 1}});
    }
  }
}

void Jobs::finish(std::int64_t id, Job& job) {
  job.state = State::Done;
  for (const Client& watcher : job.watchers) links_.answer(watcher, {{"code", job.code}});
  for (auto waiter = waiters_.begin(); waiter != waiters_.end();) {
    if (waiter->jobs.erase(id) > 0) {
      waiter->code = std::max(waiter->code, job.code);
      if (job.code != 0) waiter->failed.push_back(job_name(id));
    }
    const bool done = waiter->jobs.empty();
    if (done) links_.answer(waiter->client, {{"code", waiter->code}, {"failed", waiter->failed}});
    waiter = done ? waiters_.erase(waiter) : std::next(waiter);
  }
}

}  // namespace mc::stand_in
