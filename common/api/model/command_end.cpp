#include "common/api/model/command_end.h"

namespace mc::api {

std::string command_ended_with(std::int64_t code) {
  return std::string(kCommandEndedWith) + std::to_string(code);
}

std::string command_or_snippet_ended_with(std::int64_t code) {
  return "The command or a snippet ended with code " + std::to_string(code);
}

}  // namespace mc::api
