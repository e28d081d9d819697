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
constexpr auto kLost = std::chrono::seconds(5);  // without a beat
constexpr int kToldToEnd = 129;

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
