#pragma once
#include <initializer_list>
#include <source_location>
#include <string>
#include <string_view>
#include <utility>

#include "common/base/log_line.h"

// Log lines on standard error in klog's format:
// `I1121 08:00:00.000000    4242 execute.cpp:31] "Created object" kind="Job" name="x"`.
// A message starts with a capital letter, has no period and contains no values: values are fields,
// quoted and escaped, so that no user input can forge a line. Never pass a secret. Thread safe.
namespace mc::observe::log {

using Fields = std::initializer_list<std::pair<std::string_view, std::string>>;

// The value of `-v`; 0 at start. 0: what an operator of the service must know; 2: one line per
// change made; 4: one line per request.
void set_verbosity(int level);

// Whether lines of this level are logged: `if (log::v(2)) log::info(...)`.
bool v(int level);

void info(std::string_view message, Fields fields = {},
          std::source_location where = std::source_location::current());
void warning(std::string_view message, Fields fields = {},
             std::source_location where = std::source_location::current());
void error(std::string_view message, Fields fields = {},
           std::source_location where = std::source_location::current());

void line(const LogLine& made, std::source_location where = std::source_location::current());

}  // namespace mc::observe::log

namespace mc {
namespace log = observe::log;
}
