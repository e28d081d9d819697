#include "common/observe/process_metrics.h"

#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <string_view>
#include <system_error>

namespace mc::observe {
namespace {

// The fields of /proc/self/stat after the third. The second, the command in parentheses, may
// contain anything.
std::vector<double> stat_fields() {
  std::ifstream file("/proc/self/stat");
  std::string line;
  std::getline(file, line);
  const auto end = line.rfind(')');
  if (end == std::string::npos) return {};
  std::istringstream rest(line.substr(end + 1));
  std::string state;
  rest >> state;
  return {std::istream_iterator<double>(rest), std::istream_iterator<double>()};
}

// When the machine started, in seconds since the epoch.
std::optional<double> boot_time() {
  std::ifstream file("/proc/stat");
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string key;
    double value = 0;
    if (words >> key >> value && key == "btime") return value;
  }
  return std::nullopt;
}

std::optional<double> open_files() {
  std::error_code error;
  std::filesystem::directory_iterator it("/proc/self/fd", error);
  if (error) return std::nullopt;
  double count = 0;
  for (; it != std::filesystem::directory_iterator(); it.increment(error)) ++count;
  return count - 1;  // the descriptor of this iterator
}

// Nothing of what cannot be read.
struct Usage {
  std::optional<double> cpu_seconds, resident_bytes, virtual_bytes, start_time;
};

Usage usage() {
  // Counted from the field after the state, which is proc(5)'s field 4.
  constexpr std::size_t kUserTime = 10, kSystemTime = 11, kStart = 18, kVirtual = 19,
                        kResident = 20;
  const std::vector<double> stat = stat_fields();
  if (stat.size() <= kResident) return {};
  const auto ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
  const auto page = static_cast<double>(sysconf(_SC_PAGESIZE));
  Usage now{(stat[kUserTime] + stat[kSystemTime]) / ticks, stat[kResident] * page, stat[kVirtual],
            boot_time()};
  if (now.start_time) *now.start_time += stat[kStart] / ticks;
  return now;
}

std::optional<double> limit_of(decltype(RLIMIT_AS) resource) {
  rlimit limit{};
  if (getrlimit(resource, &limit) != 0) return std::nullopt;
  return static_cast<double>(limit.rlim_cur);
}

}  // namespace

std::vector<ProcessMetric> process_metrics() {
  const Usage now = usage();
  const struct {
    const char *name, *help;
    std::optional<double> value;
    MetricType type = MetricType::Gauge;
  } metrics[] = {
      {"process_cpu_seconds_total", "User and system CPU time in seconds.", now.cpu_seconds,
       MetricType::Counter},
      {"process_resident_memory_bytes", "Resident memory in bytes.", now.resident_bytes},
      {"process_virtual_memory_bytes", "Virtual memory in bytes.", now.virtual_bytes},
      {"process_start_time_seconds", "Start time of the process, as Unix time in seconds.",
       now.start_time},
      {"process_open_fds", "Number of open file descriptors.", open_files()},
      {"process_virtual_memory_max_bytes", "Maximum virtual memory in bytes.", limit_of(RLIMIT_AS)},
      {"process_max_fds", "Maximum number of open file descriptors.", limit_of(RLIMIT_NOFILE)},
  };
  std::vector<ProcessMetric> all;
  for (const auto& [name, help, value, type] : metrics) {
    if (value) all.push_back({{name, type, help, {}}, *value});
  }
  return all;
}

}  // namespace mc::observe
