#include "tests/common/render/pod_dir.h"

#include <gtest/gtest.h>

#include <fstream>

#include "common/render/entrypoint.h"
#include "tests/support/folders.h"
#include "tests/support/messages.h"

namespace mc::test {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPrograms[] = {"sh",   "cat", "cp",   "id",       "ln",    "mkdir",  "mkfifo",
                                     "mv",   "rm",  "sed",  "sleep",    "touch", "setsid", "ls",
                                     "grep", "env", "head", "hostname", "tee",   "tar"};

void write_file(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

void link_program(const fs::path& folder, const std::string& name) {
  for (const char* place : {"/usr/bin/", "/bin/"}) {
    if (!fs::exists(folder / name) && fs::exists(place + name)) {
      fs::create_symlink(place + name, folder / name);
    }
  }
}

}  // namespace

Outcome run_shell(const std::string& script,
                  const std::map<std::string, std::string>& environment) {
  // timeout gives the script a process group. What is left of it is killed, as at the end of a
  // container.
  const std::string container =
      "/usr/bin/timeout -k 1 20 /bin/sh -c \"$1\" & wait $!; code=$?\n"
      "kill -s KILL -- -$! 2>/dev/null; exit $code";
  return test::run({"/bin/sh", "-c", container, "sh", script},
                   {.input = "", .environment = environment});
}

std::string broker_told_to_end_once_called(const std::string& call) {
  return "sh $operator/flux-init.sh >/dev/null; sh $operator/wait-0.sh & pid=$!\n"
         "until grep -q '" +
         call +
         "' $FAKE_FLUX/calls 2>/dev/null; do sleep 0.1; done\n"
         "kill -TERM $pid; wait $pid; echo code $?";
}

std::string shell_name(const ::testing::TestParamInfo<bool>& with_bash) {
  return with_bash.param ? "bash" : "sh";
}

PodDir::PodDir(api::MiniCluster cluster, bool with_bash) {
  fs::create_directories(root_ / "mount");
  if (cluster.spec.flux.container.disable) fs::create_directories(root_ / "mount/curve");
  fs::create_directories(root_ / "record");
  fs::create_directories(root_ / "bin");
  for (const char* program : kPrograms) link_program(root_ / "bin", program);
  if (with_bash) link_program(root_ / "bin", "bash");
  const fs::path sources = test::source_dir() / "tests/common/render";
  fs::copy_file(sources / "fake_flux.sh", root_ / "bin/flux");
  fs::permissions(root_ / "bin/flux", fs::perms::owner_exec, fs::perm_options::add);
  write_file(root_ / "image/view/lib/python3.11/site-packages/flux.py", "view");
  write_file(root_ / "image/software/flux", "software");

  cluster.spec.flux.container.mount_path = (root_ / "mount").string();
  if (cluster.spec.containers.at(0).logs.empty()) {
    cluster.spec.containers[0].logs = (root_ / "output").string();
  }
  const json data = render::config_map(cluster)["data"];
  for (const render::EntrypointFile& file : render::entrypoint_files(cluster)) {
    const fs::path path = root_ / "operator" / file.path;
    write_file(path, data.at(file.key).get<std::string>());
    if (file.executable) fs::permissions(path, fs::perms::owner_exec, fs::perm_options::add);
  }
  write_file(root_ / "operator/curve.cert", "the certificate\n");
  write_file(root_ / "termination-log", "");
  // Of 16 cores that Flux sees, the container may use 8.
  write_file(root_ / "system/proc/self/cgroup", "0::/\n");
  write_file(root_ / "system/proc/self/status", "Cpus_allowed_list:\t0-15\n");
  write_file(root_ / "system/sys/devices/system/cpu/online", "0-15\n");
  write_file(root_ / "system/sys/fs/cgroup/cpu.max", "800000 100000\n");
  write_file(root_ / "record/initrc.lua", "");
  std::ofstream(root_ / "operator/settings.sh", std::ios::app)
      << "mc_system=" << (root_ / "system").string() << "\n"
      << "mc_termination_log=" << (root_ / "termination-log").string() << "\n"
      << "mc_view_source=" << (root_ / "image/view").string() << "\n"
      << "mc_software_source=" << (root_ / "image/software").string() << "\n";
}

// What a script says about itself, except what has a form of its own: the phases, and the commands
// that it runs.
void PodDir::collect_messages(const std::string& log) const {
  for (const std::string& line : lines_of(log)) {
    const std::string message = replaced(line, root_.path().string(), "");
    const auto is = [&](const char* begin) {
      return message.starts_with(std::string("minicluster: ") + begin);
    };
    if (is("") && !is("stderr: ") && !is("phase=") && !is("runs: ") && !message.contains("/tmp/"))
      collect_message("Logs of the pods", message);
  }
}

Outcome PodDir::run(const std::string& script, int index) const {
  Outcome outcome = run_shell(script, {{"PATH", (root_ / "bin").string()},
                                       {"operator", (root_ / "operator").string()},
                                       {"mount", (root_ / "mount").string()},
                                       {"FAKE_FLUX", (root_ / "record").string()},
                                       {"JOB_COMPLETION_INDEX", std::to_string(index)}});
  collect_messages(outcome.out);
  collect_messages(outcome.err);
  return outcome;
}

Outcome PodDir::must_run(const std::string& script, int index) const {
  Outcome outcome = run(script, index);
  EXPECT_EQ(outcome.code, 0) << outcome.out << outcome.err;
  return outcome;
}

void PodDir::write(const std::string& below, const std::string& text) const {
  write_file(root_ / below, text);
}

std::string PodDir::calls() const { return text_of(root_ / "record/calls"); }

}  // namespace mc::test
