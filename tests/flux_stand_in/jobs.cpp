#include "tests/flux_stand_in/jobs.h"

#include <algorithm>

#include "tests/flux_stand_in/config.h"

namespace mc::stand_in {
namespace {

constexpr int kNoRoute = 68;

std::string job_name(std::int64_t id) { return "f" + std::to_string(id); }

// 0 if it is not a job ID.
std::int64_t job_number(const std::string& name) {
  const std::string digits = name.substr(name.starts_with('f') ? 1 : 0);
  const bool number = !digits.empty() && digits.find_first_not_of("0123456789") == digits.npos;
  return number ? std::stoll(digits) : 0;
}

// The rank of each task, in blocks: the first nodes take the remaining tasks, one each. Empty: the
// job cannot start yet.
std::vector<std::size_t> placed(const json& request, const std::set<std::size_t>& online) {
  const auto tasks = request.at("tasks").get<std::size_t>();
  const auto cores = static_cast<std::size_t>(local_cores());
  auto nodes = request.at("nodes").get<std::size_t>();
  if (nodes == 0) nodes = (tasks + cores - 1) / cores;
  std::vector<std::size_t> out;
  if (online.size() < nodes) return out;
  auto rank = online.begin();
  for (std::size_t node = 0; node < nodes; ++node, ++rank) {
    out.insert(out.end(), tasks / nodes + (node < tasks % nodes ? 1 : 0), *rank);
  }
  return out;
}

}  // namespace

bool Jobs::request(int client, const json& request) {
  const std::string what = request.value("op", "");
  if (what == "submit") {
    links_.answer(client, {{"id", job_name(submit(request))}});
    return true;
  }
  if (what == "exec") {
    watch(client, jobs_[submit(request)]);
    return true;
  }
  const auto found = jobs_.find(job_number(request.value("id", "")));
  if (what != "attach" && what != "state") return false;
  if (found == jobs_.end()) {
    links_.answer(client, {{"error", "No such job"}});
  } else if (what == "attach") {
    watch(client, found->second);
  } else {
    links_.answer(client, {{"done", found->second.state == State::Done}});
  }
  return true;
}

std::int64_t Jobs::submit(const json& request) {
  jobs_[next_].request = request;
  return next_++;
}

void Jobs::watch(int client, Job& job) {
  for (const json& event : job.log) links_.answer(client, event);
  if (job.state == State::Done) return links_.answer(client, {{"code", job.code}});
  job.watchers.insert(client);
}

// `flux exec`: runs on the ranks that are online, even if others are not.
void Jobs::start_everywhere(std::int64_t id, Job& job, const std::set<std::size_t>& online) {
  std::vector<std::size_t> ranks(online.begin(), online.end());
  for (std::size_t rank = 0; rank < size_; ++rank) {
    if (online.contains(rank)) continue;
    say(job, 2, "flux-exec: rank " + std::to_string(rank) + ": No route to host\n");
    job.code = kNoRoute;
  }
  start(id, job, ranks);
}

void Jobs::schedule(const std::set<std::size_t>& online) {
  for (auto& [id, job] : jobs_) {
    if (job.state != State::Pending) continue;
    if (job.request["op"] == "exec") {
      start_everywhere(id, job, online);
      continue;
    }
    const std::vector<std::size_t> ranks = placed(job.request, online);
    if (!ranks.empty()) start(id, job, ranks);
  }
}

void Jobs::start(std::int64_t id, Job& job, const std::vector<std::size_t>& ranks) {
  job.state = State::Running;
  json task = {{"job", id}, {"argv", job.request["argv"]}, {"cwd", job.request["cwd"]}};
  for (std::size_t i = 0; i < ranks.size(); ++i) job.tasks[static_cast<std::int64_t>(i)] = ranks[i];
  for (const auto& [number, rank] : std::map(job.tasks)) {
    task["task"] = number;
    task["env"] = job.request["env"];
    if (job.request["op"] == "submit") {
      task["env"]["FLUX_JOB_SIZE"] = std::to_string(ranks.size());
      task["env"]["FLUX_TASK_RANK"] = std::to_string(number);
    }
    links_.start(rank, task);
  }
}

void Jobs::say(Job& job, int stream, const std::string& data) {
  const json event = {{"stream", stream}, {"data", data}};
  for (const int watcher : job.watchers) links_.answer(watcher, event);
  job.log.push_back(event);
}

void Jobs::event(const json& event) {
  const auto found = jobs_.find(event.value("job", std::int64_t{0}));
  if (found == jobs_.end() || found->second.state != State::Running) return;
  Job& job = found->second;
  if (event.contains("data")) return say(job, event["stream"], event["data"]);
  job.code = std::max(job.code, event.value("code", 1));
  job.tasks.erase(event.value("task", std::int64_t{-1}));
  if (job.tasks.empty()) finish(job);
}

void Jobs::lost(std::size_t rank) {
  for (auto& [id, job] : jobs_) {
    for (const auto& [number, at] : std::map(job.tasks)) {
      if (at == rank) event({{"job", id}, {"task", number}, {"code", kNoRoute}});
    }
  }
}

void Jobs::finish(Job& job) {
  job.state = State::Done;
  for (const int watcher : job.watchers) links_.answer(watcher, {{"code", job.code}});
}

}  // namespace mc::stand_in
