#include <fcntl.h>
#include <unistd.h>

#include <iostream>
#include <map>

#include "common/flux/curve.h"
#include "tests/flux_stand_in/broker.h"
#include "tests/flux_stand_in/commands.h"
#include "tests/flux_stand_in/config.h"

// `flux` for stories without real Flux: brokers that read the real broker.toml and certificate,
// join over CURVE, and run commands on their ranks. It has what the entry points need to start a
// command and to get and report its end; guarantees of Flux itself are tested with real Flux. Its
// answers are those of flux-core 0.88 (tests/flux_stand_in/selftest/answers_test.cpp).
namespace mc::stand_in {
namespace {

int resource_description(const Words& words) {
  constexpr std::string_view kHosts = "--hosts=";
  if (words.size() != 3 || words[0] != "encode" || !words[1].starts_with(kHosts)) {
    return failed("R", "usage: flux R encode --hosts=HOSTS --local");
  }
  const auto text = encode_resources(words[1].substr(kHosts.size()), local_cores());
  if (!text) return failed("R", text.error().message);
  std::cout << *text << std::endl;
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

int show_version(const Words& /*words*/) {
  std::cout << "commands:    \t\t0.88.0" << std::endl;
  return 0;
}

int dispatch(const Words& words) {
  static const std::map<std::string, int (*)(const Words&)> commands = {
      {"start", exec_start},      {"broker", run_broker},
      {"submit", submit},         {"run", run},
      {"exec", exec_on_ranks},    {"job", job},
      {"getattr", getattr},       {"proxy", proxy},
      {"keygen", keygen},         {"R", resource_description},
      {"--version", show_version}};
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

int main(int argc, char** argv) { return mc::stand_in::dispatch({argv + 1, argv + argc}); }
