#include "tests/pods/job.h"

#include <algorithm>

#include "common/base/json.h"

namespace mc::pods {

Job::Job(Node& node, const api::MiniCluster& cluster)
    : node_(node), pods_(node, cluster), policy_(pods_.job().at("podFailurePolicy").at("rules")) {
  pods_.start_all();
}

std::optional<JobEnd> Job::run(std::chrono::seconds limit) {
  if (!until([&] { return end_.has_value(); }, limit)) return std::nullopt;
  return end_;
}

bool Job::until(const std::function<bool()>& condition, std::chrono::seconds limit) {
  return node_.until(
             [&] {
               step();
               return end_.has_value() || condition();
             },
             limit) &&
         condition();
}

void Job::step() {
  for (std::size_t i = 0; i < pods_.size() && !end_; ++i) {
    if (!succeeded_.contains(i) && pods_.pod(i).ended()) pod_ended(i);
  }
}

bool Job::is_final(int code) const {
  for (const json& rule : policy_) {
    const json& values = at_path(rule, {"onExitCodes", "values"});
    if (rule.at("action") != "FailJob" || !values.is_array()) continue;
    return std::ranges::count(values, json(code)) == 0;  // the operator is NotIn
  }
  return false;
}

void Job::pod_ended(std::size_t index) {
  // A pod whose containers never ran counts as killed.
  const int code = pods_.code(index).value_or(137);
  if (code == 0) {
    succeeded_.insert(index);
    constexpr std::string_view kTold = "the command ended with code ";
    const std::string message = pods_.message(index);
    if (message.starts_with(kTold)) told_ = std::stoi(message.substr(kTold.size()));
    if (index == 0 || succeeded_.size() == pods_.size()) end_ = JobEnd{true, 0, message};
  } else if (is_final(code)) {
    end_ = JobEnd{false, code, pods_.message(index)};
  } else if (index == 0 && told_) {
    end_ = JobEnd{*told_ == 0, *told_, "told by a follower"};
  } else {
    tries_.push_back(std::to_string(index) + ":" + std::to_string(code));
    pods_.start(index);
  }
}

}  // namespace mc::pods
