#include <signal.h>
#include <unistd.h>

#include <iostream>
#include <utility>

#include "tests/flux_stand_in/broker.h"

// What only rank 0 does.
namespace mc::stand_in {
namespace {

constexpr auto kGoodbyes = std::chrono::seconds(5);  // waited for in the end

}  // namespace

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

}  // namespace mc::stand_in
