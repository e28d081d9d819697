#include "tests/flux_stand_in/broker.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <random>
#include <utility>

#include "tests/flux_stand_in/commands.h"

namespace mc::stand_in {
namespace {

namespace fs = std::filesystem;

constexpr int kTickMs = 50;
constexpr auto kBeat = std::chrono::milliseconds(100);
constexpr auto kGoodbyes = std::chrono::seconds(5);  // the limit at shutdown
constexpr int kToldToEnd = 129;

std::string random_id() {
  std::random_device random;
  return std::to_string(random()) + "-" + std::to_string(random());
}

std::string host_name() {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  return name.data();
}

std::string socket_of(const BrokerOptions& options) {
  const std::string uri = options.attribute("local-uri"), folder = options.attribute("rundir");
  if (!uri.empty()) return uri.substr(uri.find(':') + 3);
  if (folder.empty()) return fs::temp_directory_path() / ("flux-" + std::to_string(getpid()));
  return folder + "/local-" + std::to_string(options.config.rank);
}

// `--config-path DIR -SNAME=VALUE... [PROGRAM...]`: a single word is a shell command, several are a
// program and its arguments.
Result<BrokerOptions> read_options(const std::vector<std::string>& words) {
  BrokerOptions out;
  std::string folder;
  std::size_t at = 0;
  for (; at < words.size() && words[at].starts_with('-'); ++at) {
    if (words[at].starts_with("-S")) {
      const std::size_t equals = std::min(words[at].find('='), words[at].size() - 1);
      out.attributes[words[at].substr(2, equals - 2)] = words[at].substr(equals + 1);
    } else if ((words[at] == "--config-path" || words[at] == "--config") && at + 1 < words.size()) {
      folder = words[++at];
    } else {
      return fail(ErrorKind::Invalid, "unrecognized option '" + words[at] + "'");
    }
  }
  const std::string given = out.attribute("hostname");
  auto config = load_config(folder, given.empty() ? host_name() : given);
  if (!config) return std::unexpected(config.error());
  out.config = std::move(*config);
  if (out.config.rank == 0) {
    out.program.assign(words.begin() + static_cast<std::ptrdiff_t>(at), words.end());
  }
  if (out.program.size() == 1) out.program = {"/bin/sh", "-c", out.program[0]};
  return out;
}

}  // namespace

std::string BrokerOptions::attribute(const std::string& name) const {
  const auto found = attributes.find(name);
  return found == attributes.end() ? "" : found->second;
}

Broker::Broker(BrokerOptions options, Overlay overlay, int signals)
    : options_(std::move(options)),
      overlay_(std::move(overlay)),
      signals_(signals),
      socket_(socket_of(options_)),
      id_(random_id()),
      jobs_({[this](std::size_t rank, const json& task) {
               if (rank == 0) return start_task(task);
               overlay_.send(peers_.at(rank).name, {{"type", "start"}, {"task", task}});
             },
             [this](int client, const json& text) { local_.send(client, text); }},
            options_.config.hosts.size()) {}

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
  return code_;
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
      request(client, asked);
    } else {
      local_.send(client, {{"error", "the stand-in answers on rank 0 only"}});
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
  if (state_ == State::Join && online().size() >= quorum()) {
    state_ = State::Run;
    start_program();
  }
  if (state_ == State::Run) jobs_.schedule(online());
  if (state_ == State::Shutdown && (peers_.empty() || now > deadline_)) done_ = true;
}

void Broker::start_task(const json& task) {
  json own = task;
  own["env"]["FLUX_URI"] = "local://" + socket_;
  tasks_.start(own);
}

bool Broker::listen() {
  std::error_code ignored;
  fs::create_directory(fs::path(socket_).parent_path(), ignored);
  auto socket = LocalSocket::listen(socket_);
  if (!socket) {
    failed("broker", socket.error().message);
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
  if (type == "goodbye") gone(peer->first);
  if (type == "event") jobs_.event(body.at("event"));
}

void Broker::hello(const Overlay::Message& message) {
  const auto rank = message.body.value("rank", std::size_t{0});
  const std::string id = message.body.value("id", "");
  if (state_ == State::Shutdown || rank == 0 || rank >= options_.config.hosts.size()) return;
  const auto known = peers_.find(rank);
  if (known != peers_.end() && known->second.id != id) gone(rank);
  peers_[rank] = {message.peer, id};
  overlay_.send(message.peer, {{"type", "welcome"}});
}

void Broker::gone(std::size_t rank) {
  peers_.erase(rank);
  jobs_.lost(rank);
}

void Broker::request(int client, const json& request) {
  if (jobs_.request(client, request)) return;
  const std::string name = request.value("name", "");
  if (name == "size") {
    local_.send(client, {{"value", std::to_string(options_.config.hosts.size())}});
  } else if (name == "rank") {
    local_.send(client, {{"value", "0"}});
  } else {
    local_.send(client, {{"error", name + ": No such file or directory"}});
  }
}

std::size_t Broker::quorum() const {
  const std::string wanted = options_.attribute("broker.quorum");
  return wanted.empty() ? options_.config.hosts.size() : std::stoul(wanted);
}

std::set<std::size_t> Broker::online() const {
  std::set<std::size_t> out = {0};
  for (const auto& [rank, peer] : peers_) out.insert(rank);
  return out;
}

void Broker::start_program() {
  if (options_.program.empty()) return;
  Environment environment = own_environment();
  environment["FLUX_URI"] = "local://" + socket_;
  const auto pid = start_process(
      {options_.program, environment, "", STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO});
  if (pid) {
    program_ = *pid;
  } else {
    failed("broker", pid.error().message);
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
    if (!listen()) end(1);
  } else if (type == "start") {
    start_task(message.at("task"));
  } else if (type == "shutdown") {
    to_lead("goodbye");
    end(0);
  } else if (type == "disconnect" && state_ == State::Run) {
    end(failed("broker", "lost connection to the lead broker"));
  }
}

void Broker::to_lead(const char* type, json message) {
  message.update({{"type", type}, {"rank", options_.config.rank}, {"id", id_}});
  overlay_.send("", message);
}

int run_broker(const std::vector<std::string>& arguments) {
  auto options = read_options(arguments);
  if (!options) return failed("broker", options.error().message);
  // Before libzmq creates its threads, so that they do not receive the signals.
  sigset_t signals;
  sigemptyset(&signals);
  for (const int number : {SIGTERM, SIGINT, SIGHUP, SIGCHLD}) sigaddset(&signals, number);
  sigprocmask(SIG_BLOCK, &signals, nullptr);
  const int fd = signalfd(-1, &signals, SFD_NONBLOCK | SFD_CLOEXEC);
  const double timeout_s = strtod(options->attribute("tbon.connect_timeout").c_str(), nullptr);
  auto overlay = Overlay::open(options->config, static_cast<int>(timeout_s * 1000));
  if (!overlay) return failed("broker", overlay.error().message);
  Broker broker(std::move(*options), std::move(*overlay), fd);
  const int code = broker.run();
  close(fd);
  return code;
}

int exec_start(const std::vector<std::string>& arguments) {
  std::vector<std::string> words = {fs::read_symlink("/proc/self/exe"), "broker"};
  const std::size_t first = !arguments.empty() && arguments[0] == "-o" ? 1 : 0;
  words.insert(words.end(), arguments.begin() + static_cast<std::ptrdiff_t>(first),
               arguments.end());
  return become("start", words);
}

}  // namespace mc::stand_in
