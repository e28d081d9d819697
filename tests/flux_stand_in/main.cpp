#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>

#include "common/flux/curve.h"
#include "tests/flux_stand_in/broker.h"
#include "tests/flux_stand_in/commands.h"

// `flux` for tests where no Flux is: brokers that read the real broker.toml, certificate and R,
// join over CURVE, and run commands on their ranks, with the codes and refusals of flux-core 0.88.
namespace mc::stand_in {
namespace {

std::string option(const Words& words, const std::string& name) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i].starts_with(name + "=")) return words[i].substr(name.size() + 1);
    if (words[i] == name && i + 1 < words.size()) return words[i + 1];
  }
  return "";
}

int resource_description(const Words& words) {
  if (words.empty() || words[0] != "encode")
    return failed("R", "usage: flux R encode --hosts=HOSTS");
  const std::string cores = option(words, "--cores");
  const bool local = std::ranges::count(words, "--local") > 0;
  const int count = local           ? local_cores()
                    : cores.empty() ? 1
                                    : static_cast<int>(id_set(cores).size());
  const auto text = encode_resources(option(words, "--hosts"), count);
  if (!text) return failed("R", text.error().message);
  std::cout << *text << std::endl;
  return 0;
}

int version(const Words&) {
  std::cout << "commands: 0.88.0 (a stand-in for tests)" << std::endl;
  return 0;
}

int keygen(const Words& words) {
  if (words.empty()) return failed("keygen", "usage: flux keygen PATH");
  const std::string text = flux::curve_certificate(flux::generate_curve_keys(), "stand-in");
  const int fd = open(words.back().c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  const bool written =
      fd >= 0 && write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  if (fd >= 0) close(fd);
  return written ? 0 : failed("keygen", words.back() + ": cannot write it");
}

// A line of JSON for each call, to the folder that FLUX_STAND_IN_RECORD names.
void record(const Words& words) {
  const char* const folder = getenv("FLUX_STAND_IN_RECORD");
  if (folder == nullptr) return;
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  json environment = json::object();
  for (const auto& [name, value] : own_environment()) {
    const bool chosen = name.starts_with("FLUX_") || name.ends_with("PATH") ||
                        name == "JOB_COMPLETION_INDEX" || name == "fluxsocket";
    if (chosen) environment[name] = value;
  }
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  std::error_code error;
  const json line = {
      {"argv", words},
      {"env", environment},
      {"cwd", std::filesystem::current_path(error).string()},
      {"host", host.data()},
      {"uid", getuid()},
      {"pid", getpid()},
      {"monotonic_ms", std::chrono::duration_cast<std::chrono::milliseconds>(now).count()}};
  const std::string path = std::string(folder) + "/calls";
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (fd < 0) return;
  fchmod(fd, 0666);  // other users' calls follow
  const std::string text = line.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
  if (write(fd, text.data(), text.size()) < 0) std::cerr << "flux: cannot record\n";
  close(fd);
}

int dispatch(const Words& words) {
  static const std::map<std::string, int (*)(const Words&)> commands = {
      {"start", exec_start}, {"broker", run_broker},
      {"submit", submit},    {"run", run},
      {"batch", batch},      {"exec", exec_on_ranks},
      {"job", job},          {"jobs", jobs},
      {"queue", queue},      {"resource", resource},
      {"getattr", getattr},  {"shutdown", shutdown},
      {"proxy", proxy},      {"version", version},
      {"keygen", keygen},    {"R", resource_description}};
  const auto found = commands.find(words.empty() ? "" : words[0]);
  if (found == commands.end()) {
    std::cerr << "flux: `" << (words.empty() ? "" : words[0]) << "' is not a flux command"
              << std::endl;
    return 1;
  }
  return found->second(Words(words.begin() + 1, words.end()));
}

}  // namespace
}  // namespace mc::stand_in

int main(int argc, char** argv) {
  const mc::stand_in::Words words(argv + 1, argv + argc);
  mc::stand_in::record(words);
  return mc::stand_in::dispatch(words);
}
