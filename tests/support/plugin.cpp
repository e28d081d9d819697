#include "tests/support/plugin.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "common/base/shell.h"
#include "tests/support/eventually.h"
#include "tests/support/folders.h"
#include "tests/support/stage.h"

namespace mc::test {

void Plugin::with(const std::string& verb, const std::string& script) const {
  std::filesystem::create_directories(bin());
  std::ofstream(bin() / "kubectl") << "#!/bin/sh\ncase \" $* \" in *' " << verb << " '*)\n"
                                   << script << "\n;; *) exec " << kubectl_.control_plane().string()
                                   << "/kubectl \"$@\" ;; esac\n";
  std::filesystem::permissions(bin() / "kubectl", std::filesystem::perms::owner_all);
}

std::vector<std::string> Plugin::command(const std::vector<std::string>& arguments) const {
  std::vector<std::string> out = {plugin_program(), "--namespace=" + kubectl_.namespace_name()};
  out.insert(out.end(), arguments.begin(), arguments.end());
  return out;
}

std::string Plugin::shell_line(const std::vector<std::string>& arguments) const {
  std::string out;
  for (const std::string& word : command(arguments)) out += shell_quote(word) + " ";
  return out;
}

ProcessOptions Plugin::options() const {
  std::filesystem::create_directories(temporary());
  const char* const path = std::getenv("PATH");
  return {.input = {},
          .environment = {{"KUBECONFIG", kubectl_.kubeconfig()},
                          {"HOME", kubectl_.control_plane() / "home"},
                          {"TMPDIR", temporary()},
                          {"PATH", bin().string() + ":" + kubectl_.control_plane().string() + ":" +
                                       (path == nullptr ? "" : path)}}};
}

std::vector<std::string> Plugin::left() const {
  std::vector<std::string> out;
  const std::string mark = "TMPDIR=" + temporary().string();
  std::error_code error;
  for (const auto& process : std::filesystem::directory_iterator("/proc", error)) {
    const auto folder = process.path();
    if (folder.filename().string().find_first_not_of("0123456789") != std::string::npos) continue;
    if (text_of(folder / "environ").contains(mark)) {
      std::string line = text_of(folder / "cmdline");
      std::ranges::replace(line, '\0', ' ');
      if (!line.empty()) out.push_back(folder.filename().string() + ": " + line);
    }
  }
  for (const auto& file : std::filesystem::directory_iterator(temporary(), error))
    out.push_back(file.path());
  return out;
}

bool Plugin::leaves_nothing() const {
  return eventually([&] { return left().empty(); }, std::chrono::seconds(10));
}

}  // namespace mc::test
