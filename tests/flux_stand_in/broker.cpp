#include "tests/flux_stand_in/broker.h"

#include <signal.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <random>
#include <utility>

namespace mc::stand_in {
namespace {

constexpr int kTickMs = 50;
constexpr auto kBeat = std::chrono::milliseconds(100);
constexpr auto kLost = std::chrono::seconds(5);      // without a beat
constexpr auto kGoodbyes = std::chrono::seconds(5);  // waited for in the end
constexpr int kToldToEnd = 129;
constexpr int kInfo = 6, kError = 3;  // syslog's

std::string random_id() {
  std::random_device random;
  return std::to_string(random()) + "-" + std::to_string(random());
}

}  // namespace

Broker::Broker(BrokerOptions options, Overlay overlay, int signals)
    : options_(std::move(options)),
      overlay_(std::move(overlay)),
      signals_(signals),
      id_(random_id()),
      jobs_({[this](std::size_t rank, const json& task) {
               if (rank == 0) return start_task(task);
               overlay_.send(peers_.at(rank).name, {{"type", "start"}, {"task", task}});
             },
             [this](const Client& client, const json& text) { answer(client, text); }},
            options_.config.hosts.size(), options_.cores) {}

int Broker::run() {
  if (leads() && !listen()) return 1;
  while (!done_) {
    std::vector<int> fds = {signals_};
    for (const int fd : local_.fds()) fds.push_back(fd);
    for (const int fd : tasks_.fds()) fds.push_back(fd);
    overlay_.wait(fds, kTickMs);
    read_signals();
    take_tasks();
    take_messages();
    take_requests();
    tick();
  }
  const std::string dump = options_.attributes.get("content.dump");
  if (leads() && !dump.empty()) std::ofstream(dump) << "content of " << id_ << "\n";
  return code_;
}

void Broker::log(int level, const std::string& text) const {
  const std::string most = options_.attributes.get("log-stderr-level");
  if (level > (most.empty() ? kError : std::stoi(most))) return;
  std::cerr << "broker." << (level == kInfo ? "info" : "err") << "[" << options_.config.rank
            << "]: " << text << std::endl;
}

void Broker::read_signals() {
  signalfd_siginfo info{};
  while (read(signals_, &info, sizeof info) == sizeof info) {
    if (info.ssi_signo != SIGCHLD) told_to_end();
  }
  int status = 0;
  if (program_ && waitpid(*program_, &status, WNOHANG) == *program_) {
    program_.reset();
    shut_down(exit_code(status));
  }
}

void Broker::told_to_end() {
  if (!leads()) {
    to_lead("goodbye");
    end(0);
  } else if (program_) {
    kill(-*program_, SIGHUP);
  } else {
    shut_down(kToldToEnd);
  }
}

void Broker::take_tasks() {
  for (const json& event : tasks_.events()) {
    if (leads()) {
      jobs_.event(event);
    } else {
      to_lead("event", {{"event", event}});
    }
  }
}

void Broker::take_messages() {
  while (!done_) {
    const auto message = overlay_.receive();
    if (!message) break;
    if (leads()) {
      from_follower(*message);
    } else {
      from_lead(message->body);
    }
  }
}

void Broker::take_requests() {
  for (const auto& [client, asked] : local_.requests()) {
    if (leads()) {
      request({0, client}, asked);
    } else {
      to_lead("request", {{"client", client}, {"body", asked}});
    }
  }
}

void Broker::tick() {
  const Time now = std::chrono::steady_clock::now();
  if (!leads()) {
    if (now - beat_ < kBeat) return;
    beat_ = now;
    return to_lead(state_ == State::Join ? "hello" : "beat");
  }
  std::set<std::size_t> silent;
  for (const auto& [rank, peer] : peers_) {
    if (now - peer.last > kLost) silent.insert(rank);
  }
  for (const std::size_t rank : silent) gone(rank, "failed");
  if (state_ == State::Join && online().size() >= options_.quorum) {
    state_ = State::Run;
    log(kInfo, "quorum reached");
    start_program();
  }
  if (state_ == State::Run) jobs_.schedule(online());
  if (state_ == State::Shutdown && (peers_.empty() || now > deadline_)) done_ = true;
}

void Broker::start_task(const json& task) {
  json own = task;
  own["env"]["FLUX_URI"] = uri();
  tasks_.start(own);
}

bool Broker::listen() {
  auto socket = LocalSocket::listen(options_.socket);
  if (!socket) {
    log(kError, socket.error().message);
    return false;
  }
  local_ = std::move(*socket);
  return true;
}

void Broker::from_follower(const Overlay::Message& message) {
  const json& body = message.body;
  const std::string type = body.value("type", "");
  if (type == "hello") return hello(message);
  const auto peer = peers_.find(body.value("rank", std::size_t{0}));
  if (peer == peers_.end() || peer->second.id != body.value("id", "")) {
    return overlay_.send(message.peer, {{"type", "disconnect"}});
  }
  peer->second.last = std::chrono::steady_clock::now();
  if (type == "goodbye") gone(peer->first, "left");
  if (type == "event") jobs_.event(body.at("event"));
  if (type == "request") request({peer->first, body.at("client")}, body.at("body"));
}

void Broker::hello(const Overlay::Message& message) {
  if (state_ == State::Shutdown) return;
  const json& body = message.body;
  const auto rank = body.value("rank", std::size_t{0});
  const std::string host = body.value("host", ""), id = body.value("id", "");
  const std::vector<std::string>& hosts = options_.config.hosts;
  if (rank == 0 || rank >= hosts.size() || hosts[rank] != host) {
    return log(kError, "rejecting connection from " + host + " (rank " + std::to_string(rank) +
                           "): mismatched config?");
  }
  const auto known = peers_.find(rank);
  if (known != peers_.end() && known->second.id != id) gone(rank, "failed");
  if (!peers_.contains(rank)) log(kInfo, host + " (rank " + std::to_string(rank) + ") joined");
  peers_[rank] = {message.peer, id, std::chrono::steady_clock::now()};
  overlay_.send(message.peer, {{"type", "welcome"}});
}

void Broker::gone(std::size_t rank, const std::string& why) {
  peers_.erase(rank);
  if (state_ == State::Shutdown) return;
  log(kInfo, options_.config.hosts[rank] + " (rank " + std::to_string(rank) + ") " + why);
  jobs_.lost(rank);
}

void Broker::request(const Client& client, const json& request) {
  const std::string what = request.value("op", "");
  if (jobs_.request(client, request)) return;
  if (what == "shutdown") {
    if (program_) kill(-*program_, SIGHUP);
    if (!program_) shut_down(0);
  } else if (what == "getattr") {
    answer(client, attribute(request.value("name", "")));
  } else if (what == "resources") {
    answer(client,
           {{"hosts", options_.config.hosts}, {"online", online()}, {"cores", options_.cores}});
  } else {
    answer(client, {{"error", "Function not implemented"}});
  }
}

json Broker::attribute(const std::string& name) const {
  if (name == "size") return {{"value", std::to_string(options_.config.hosts.size())}};
  if (name == "rank") return {{"value", std::to_string(options_.config.rank)}};
  if (name == "local-uri") return {{"value", uri()}};
  if (name == "rundir") return {{"value", options_.rundir.path()}};
  if (name == "hostlist") {
    std::string hosts;
    for (const std::string& host : options_.config.hosts) {
      hosts += (hosts.empty() ? "" : ",") + host;
    }
    return {{"value", hosts}};
  }
  if (options_.attributes.has(name)) return {{"value", options_.attributes.get(name)}};
  return {{"error", "No such file or directory"}};
}

void Broker::answer(const Client& client, const json& answer) {
  if (client.rank == 0) return local_.send(client.number, answer);
  const auto peer = peers_.find(client.rank);
  if (peer == peers_.end()) return;
  overlay_.send(peer->second.name,
                {{"type", "answer"}, {"client", client.number}, {"body", answer}});
}

std::set<std::size_t> Broker::online() const {
  std::set<std::size_t> out = {0};
  for (const auto& [rank, peer] : peers_) out.insert(rank);
  return out;
}

void Broker::start_program() {
  if (options_.program.empty()) return;
  Environment environment = own_environment();
  environment["FLUX_URI"] = uri();
  const auto pid = start_process(
      {options_.program, environment, "", STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO});
  if (pid) {
    program_ = *pid;
  } else {
    std::cerr << "flux-broker: " << pid.error().message << std::endl;
    shut_down(pid.error().kind == ErrorKind::NotFound ? 127 : 126);
  }
}

void Broker::shut_down(int code) {
  if (state_ == State::Shutdown) return;
  state_ = State::Shutdown;
  code_ = code;
  deadline_ = std::chrono::steady_clock::now() + kGoodbyes;
  for (const auto& [rank, peer] : peers_) overlay_.send(peer.name, {{"type", "shutdown"}});
}

void Broker::from_lead(const json& message) {
  const std::string type = message.value("type", "");
  if (type == "welcome" && state_ == State::Join) {
    state_ = State::Run;
    const std::string& resources = options_.config.resources;
    if (!resources.empty() && !std::filesystem::exists(resources)) {
      log(kError, resources + ": No such file or directory");
      return end(1);
    }
    if (!listen()) end(1);
  } else if (type == "start") {
    start_task(message.at("task"));
  } else if (type == "answer") {
    local_.send(message.at("client"), message.at("body"));
  } else if (type == "shutdown") {
    to_lead("goodbye");
    end(0);
  } else if (type == "disconnect" && state_ == State::Run) {
    log(kError, "lost connection to the lead broker");
    end(1);
  }
}

void Broker::to_lead(const char* type, json message) {
  message["type"] = type;
  message["rank"] = options_.config.rank;
  message["host"] = options_.config.hosts[options_.config.rank];
  message["id"] = id_;
  overlay_.send("", message);
}

int run_broker(const std::vector<std::string>& arguments) {
  auto options = read_broker_options(arguments);
  if (!options) {
    std::cerr << "flux-broker: " << options.error().message << std::endl;
    return 1;
  }
  // Before libzmq makes its threads, so that they do not take the signals.
  sigset_t signals;
  sigemptyset(&signals);
  for (const int number : {SIGTERM, SIGINT, SIGHUP, SIGCHLD}) sigaddset(&signals, number);
  sigprocmask(SIG_BLOCK, &signals, nullptr);
  const int fd = signalfd(-1, &signals, SFD_NONBLOCK | SFD_CLOEXEC);
  std::string timeout = options->attributes.get("tbon.connect_timeout");
  if (timeout.empty()) timeout = options->config.connect_timeout;
  auto overlay = Overlay::open(options->config, milliseconds(timeout));
  if (!overlay) {
    std::cerr << "flux-broker: " << overlay.error().message << std::endl;
    return 1;
  }
  Broker broker(std::move(*options), std::move(*overlay), fd);
  const int code = broker.run();
  close(fd);
  return code;
}

}  // namespace mc::stand_in
