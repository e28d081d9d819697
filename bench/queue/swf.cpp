#include "bench/queue/swf.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <optional>
#include <sstream>

namespace mc::bench {
namespace {

using controller::Time;
using controller::queueing::test::Arrival;
using std::chrono::seconds;

constexpr std::size_t kFields = 18;
const Time kTraceBegin{seconds(1'700'000'000)};

struct Line {
  std::array<double, kFields> fields{};
  // By the number that the format gives it.
  std::int64_t at(std::size_t number) const {
    return static_cast<std::int64_t>(fields.at(number - 1));
  }
};

std::optional<Line> read_line(const std::string& text) {
  Line out;
  std::istringstream in(text);
  for (double& field : out.fields) {
    if (!(in >> field)) return std::nullopt;
  }
  return out;
}

// -1: not known.
std::int64_t processors_of(const Line& line) { return line.at(8) > 0 ? line.at(8) : line.at(5); }

std::optional<Arrival> job_of(const Line& line, std::size_t number) {
  const std::int64_t runtime = line.at(4), asked = line.at(9), processors = processors_of(line);
  if (runtime < 0 || asked <= 0 || processors <= 0) return std::nullopt;
  Arrival out;
  out.waiting.ns = "user-" + std::to_string(std::max<std::int64_t>(line.at(12), 0));
  out.waiting.name = "job-" + std::to_string(number);
  out.waiting.uid = out.waiting.name;
  out.waiting.created = kTraceBegin + seconds(line.at(2));
  out.waiting.demand = {{"pods", api::Quantity(processors)}};
  out.waiting.longest = seconds(asked);
  out.runtime = seconds(std::min(runtime, asked));
  return out;
}

std::int64_t header_number(const std::string& text, const std::string& name) {
  const auto found = text.find(name + ":");
  if (!text.starts_with(';') || found == std::string::npos) return 0;
  std::int64_t out = 0;
  std::istringstream(text.substr(found + name.size() + 1)) >> out;
  return out;
}

}  // namespace

Result<Trace> read_swf(const std::string& path) {
  std::ifstream file(path);
  if (!file) return fail(ErrorKind::NotFound, path + ": cannot be read");
  Trace out;
  std::int64_t most = 0;
  for (std::string text; std::getline(file, text);) {
    out.processors = std::max(out.processors, header_number(text, "MaxProcs"));
    const auto line = read_line(text);
    if (!line) continue;
    auto job = job_of(*line, out.jobs.size());
    if (!job) continue;
    most = std::max(most, processors_of(*line));
    out.jobs.push_back(*std::move(job));
  }
  if (out.jobs.empty()) return fail(ErrorKind::Invalid, path + ": has no job of a trace");
  out.processors = std::max(out.processors, most);
  std::ranges::stable_sort(out.jobs, {}, [](const Arrival& job) { return job.waiting.created; });
  return out;
}

}  // namespace mc::bench
