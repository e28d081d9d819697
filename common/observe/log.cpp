#include "common/observe/log.h"

#include <spdlog/logger.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <atomic>
#include <memory>

#include "common/base/json.h"

namespace mc::observe::log {
namespace {

std::atomic<int> verbosity{0};

spdlog::logger& logger() {
  static const auto instance = [] {
    auto made =
        std::make_shared<spdlog::logger>("klog", std::make_shared<spdlog::sinks::stderr_sink_mt>());
    made->set_pattern("%L%m%d %H:%M:%S.%f %7t %s:%#] %v");
    return made;
  }();
  return *instance;
}

// As a JSON string in ASCII: every control character, quote and non-ASCII character is escaped.
std::string escaped(std::string_view text) {
  return json(text).dump(-1, ' ', true, json::error_handler_t::replace);
}

template <class AnyFields>
void write(spdlog::level::level_enum level, std::string_view message, const AnyFields& fields,
           const std::source_location& where) {
  std::string line = escaped(message);
  for (const auto& [key, value] : fields) {
    line.append(" ").append(key).append("=").append(escaped(value));
  }
  const spdlog::source_loc place{where.file_name(), static_cast<int>(where.line()),
                                 where.function_name()};
  logger().log(place, level, spdlog::string_view_t(line.data(), line.size()));
}

}  // namespace

void set_verbosity(int level) { verbosity = level; }

bool v(int level) { return level <= verbosity; }

void info(std::string_view message, Fields fields, std::source_location where) {
  write(spdlog::level::info, message, fields, where);
}

void warning(std::string_view message, Fields fields, std::source_location where) {
  write(spdlog::level::warn, message, fields, where);
}

void error(std::string_view message, Fields fields, std::source_location where) {
  write(spdlog::level::err, message, fields, where);
}

void line(const LogLine& made, std::source_location where) {
  write(spdlog::level::info, made.message, made.fields, where);
}

}  // namespace mc::observe::log
