#include "common/base/text.h"
#include "common/flux/broker_toml.h"
#include "tests/fuzz/targets.h"

namespace mc::fuzz {
namespace {

// Fills every MiniCluster value in broker.toml with the input.
void written(std::string_view input) {
  const std::string text(input.substr(0, 1000));
  flux::BrokerConfig config;
  config.curve_cert = config.resource_path = config.archive_path = text;
  config.hosts = {{"a-[0-3]", "", ""}, {"b", text, text}};
  config.bind = "tcp://" + text;
  config.connect = flux::connect_through_service(text);
  config.queue_policy = text;
  const auto read = flux::parse_broker_toml(flux::broker_toml(config));
  require(read.has_value(), "what is written is TOML");
  require(read->hosts == config.hosts, "the hosts are read as they were written");
}

}  // namespace

void broker_config(std::string_view input) {
  const auto read = flux::parse_broker_toml(input);
  if (!read) {
    require(read.error().message.size() < 400, "what is wrong is said shortly");
  } else {
    for (const std::string& problem : read->problems) {
      require(problem.size() < 1000, "a problem is said shortly");
    }
  }
  if (is_utf8(input)) written(input);  // as every string of a JSON object
}

}  // namespace mc::fuzz
