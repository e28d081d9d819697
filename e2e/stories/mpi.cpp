#include "e2e/stories/mpi.h"

#include <fstream>
#include <map>
#include <regex>
#include <sstream>

#include "common/base/clock.h"
#include "common/base/rfc3339.h"
#include "tests/support/folders.h"

namespace mc::e2e {

std::string command(const Mpi& mpi, Program program) {
  const std::string folder = std::string("/mpi/") + mpi.folder;
  return program == Program::kC ? folder + "/check" : folder + "/bin/python3 /mpi/check.py";
}

json mpi_minicluster(const std::string& name, int size, int tasks, const Mpi& mpi,
                     const std::string& command, const std::string& options, Flux flux) {
  json object = minicluster(name, size, command, {{"tasks", tasks}}, flux);
  container(object)["image"] =
      "localhost/" + std::string(mpi.image) + (flux == Flux::kInImage ? "-flux" : "") + ":e2e";
  if (!options.empty()) object["spec"]["flux"]["optionFlags"] = options;
  return object;
}

json mpi_pod(const std::string& name, const Mpi& mpi, const std::vector<std::string>& command) {
  return {{"apiVersion", "v1"},
          {"kind", "Pod"},
          {"metadata", {{"name", name}}},
          {"spec",
           {{"restartPolicy", "Never"},
            {"containers",
             {{{"name", name},
               {"image", "localhost/" + std::string(mpi.image) + ":e2e"},
               {"command", command}}}}}}};
}

std::string wrong(const std::string& output, const std::string& name, int size, int tasks) {
  static const std::regex line(R"(rank (\d+) of (\d+) on (\S+))");
  std::map<int, std::string> hosts;  // of each rank
  std::map<std::string, int> tasks_of;
  std::istringstream lines(output);
  std::string text, around, total;
  while (std::getline(lines, text)) {
    std::smatch found;
    if (text.rfind("ring: ", 0) == 0) around = text.substr(6);
    if (text.rfind("Allreduce: ", 0) == 0) total = text.substr(11);
    if (!std::regex_match(text, found, line)) continue;
    if (std::stoi(found[2]) != tasks) return "size " + found[2].str();
    if (!hosts.emplace(std::stoi(found[1]), found[3]).second)
      return "rank " + found[1].str() + " twice";
    ++tasks_of[found[3]];
  }
  if (hosts.empty()) return "no rank";
  if (int(hosts.size()) != tasks || hosts.rbegin()->first != tasks - 1)
    return std::to_string(hosts.size()) + " ranks";
  for (int i = 0; i < size; ++i) {
    const std::string host = name + "-" + std::to_string(i);
    if (tasks_of[host] != tasks / size) return std::to_string(tasks_of[host]) + " ranks on " + host;
  }
  if (around != std::to_string(tasks * (tasks - 1) / 2)) return "ring " + around;
  if (total != std::to_string(tasks * (tasks + 1) / 2)) return "Allreduce " + total;
  return "";
}

void write_measured(const std::string& name, const std::string& text) {
  const std::string begins = "<!-- make mpi-matrix writes what follows -->\n",
                    ends = "<!-- and no more -->\n";
  const auto file = test::source_dir() / name;
  const std::string page = test::text_of(file);
  const std::size_t begin = page.find(begins), end = page.find(ends);
  ASSERT_NE(begin, std::string::npos);
  ASSERT_NE(end, std::string::npos);
  const std::string date = rfc3339(SystemClock().wall()).substr(0, sizeof "2026-01-31" - 1);
  std::ofstream(file, std::ios::binary) << page.substr(0, begin) << begins << "\n"
                                        << date << ":\n\n"
                                        << text << "\n"
                                        << page.substr(end);
}

}  // namespace mc::e2e
