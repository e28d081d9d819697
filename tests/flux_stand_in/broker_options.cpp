#include "tests/flux_stand_in/broker_options.h"

#include <stdlib.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>

namespace mc::stand_in {
namespace {

std::unexpected<Error> refused(std::string message) {
  return fail(ErrorKind::Invalid, std::move(message));
}

// The value of an option that is `--name=VALUE` or `--name VALUE`; `at` moves on.
std::optional<std::string> value_of(const std::vector<std::string>& words, std::size_t& at,
                                    std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    if (words[at] == name && at + 1 < words.size()) return words[++at];
    if (name.starts_with("--") && words[at].starts_with(std::string(name) + "=")) {
      return words[at].substr(name.size() + 1);
    }
    if (!name.starts_with("--") && words[at].starts_with(name) && words[at].size() > name.size()) {
      return words[at].substr(name.size());
    }
  }
  return std::nullopt;
}

std::string environment(const char* name) {
  const char* const value = getenv(name);
  return value == nullptr ? "" : value;
}

std::string host_name() {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  return name.data();
}

std::string temporary_folder() {
  return std::filesystem::temp_directory_path() / ("flux-" + std::to_string(getpid()));
}

Result<std::string> parse(const std::vector<std::string>& words, BrokerOptions& out) {
  std::string path = environment("FLUX_CONF_DIR");
  std::size_t at = 0;
  for (; at < words.size() && words[at].starts_with('-'); ++at) {
    if (words[at] == "--") {
      ++at;
      break;
    }
    if (const auto folder = value_of(words, at, {"--config-path", "--config", "-c"})) {
      path = *folder;
    } else if (const auto assignment = value_of(words, at, {"-S", "--setattr"})) {
      if (auto set = out.attributes.set(*assignment); !set) return std::unexpected(set.error());
    } else if (words[at] != "-v" && words[at] != "--verbose") {
      return refused("unrecognized option '" + words[at] + "'");
    }
  }
  out.program.assign(words.begin() + static_cast<std::ptrdiff_t>(at), words.end());
  return path;
}

Result<void> take_folders(BrokerOptions& out) {
  const std::string rundir = out.attributes.get("rundir"),
                    statedir = out.attributes.get("statedir");
  auto taken = OwnFolder::take("rundir", rundir.empty() ? temporary_folder() : rundir);
  if (!taken) return std::unexpected(taken.error());
  out.rundir = std::move(*taken);
  if (!statedir.empty()) {
    taken = OwnFolder::take("statedir", statedir);
    if (!taken) return std::unexpected(taken.error());
    out.statedir = std::move(*taken);
  }
  const std::string uri = out.attributes.get("local-uri");
  const std::string own =
      "local://" + out.rundir.path() + "/local-" + std::to_string(out.config.rank);
  auto socket = socket_path(uri.empty() ? own : uri);
  if (!socket) return std::unexpected(socket.error());
  out.socket = *socket;
  return {};
}

// One word is a line for the shell, several are a program and its arguments.
Result<void> choose_program(BrokerOptions& out) {
  if (out.config.rank != 0 || out.attributes.has("broker.rc2_none")) {
    out.program.clear();
  } else if (out.program.empty()) {
    if (isatty(STDIN_FILENO) == 0) {
      return refused("stdin is not a tty - can't run interactive shell");
    }
    const std::string shell = environment("SHELL");
    out.program = {shell.empty() ? "/bin/sh" : shell};
  } else if (out.program.size() == 1) {
    out.program = {"/bin/sh", "-c", out.program[0]};
  }
  return {};
}

}  // namespace

Result<BrokerOptions> read_broker_options(const std::vector<std::string>& arguments) {
  BrokerOptions out;
  const auto path = parse(arguments, out);
  if (!path) return std::unexpected(path.error());
  auto config = load_config(*path, host_name());
  if (!config) return std::unexpected(config.error());
  out.config = std::move(*config);
  const auto wanted = quorum(out.attributes, out.config.hosts.size());
  if (!wanted) return std::unexpected(wanted.error());
  out.quorum = *wanted;
  if (auto program = choose_program(out); !program) return std::unexpected(program.error());
  if (auto folders = take_folders(out); !folders) return std::unexpected(folders.error());
  out.cores = local_cores();
  if (out.config.rank == 0 && !out.config.resources.empty()) {
    const auto cores = read_resources(out.config.resources, out.config.hosts);
    if (!cores) return std::unexpected(cores.error());
    out.cores = *cores;
  }
  return out;
}

int exec_start(const std::vector<std::string>& arguments) {
  std::error_code error;
  std::vector<std::string> words, options;
  std::size_t at = 0;
  for (; at < arguments.size() && arguments[at].starts_with('-'); ++at) {
    if (const auto wrap = value_of(arguments, at, {"--wrap"})) {
      for (std::size_t from = 0; from <= wrap->size();) {
        const std::size_t end = std::min(wrap->find(',', from), wrap->size());
        words.push_back(wrap->substr(from, end - from));
        from = end + 1;
      }
    } else if (const auto option = value_of(arguments, at, {"-o", "--broker-opts"})) {
      options.push_back(*option);
    } else if (const auto path = value_of(arguments, at, {"--config-path", "-c"})) {
      options.push_back("--config-path=" + *path);
    } else if (const auto attribute = value_of(arguments, at, {"-S", "--setattr"})) {
      options.push_back("-S" + *attribute);
    } else if (arguments[at] != "-v" && arguments[at] != "--verbose") {
      std::fprintf(stderr, "flux-start: unrecognized option '%s'\n", arguments[at].c_str());
      return 1;
    }
  }
  words.push_back(std::filesystem::read_symlink("/proc/self/exe", error).string());
  words.emplace_back("broker");
  words.insert(words.end(), options.begin(), options.end());
  words.insert(words.end(), arguments.begin() + static_cast<std::ptrdiff_t>(at), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  execvp(pointers[0], pointers.data());
  std::fprintf(stderr, "flux-start: %s: %s\n", pointers[0], std::strerror(errno));
  return 1;
}

}  // namespace mc::stand_in
