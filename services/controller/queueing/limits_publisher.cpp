#include "services/controller/queueing/limits_publisher.h"

#include <utility>

#include "common/api/model/own_config_map.h"

namespace mc::controller::queueing {

LimitsPublisher::LimitsPublisher(const kube::Client& client, const Clock& clock, std::string ns,
                                 observe::Counter errors)
    : client_(client), ns_(std::move(ns)), write_(clock, "the limits for the webhook", errors) {}

void LimitsPublisher::want(const api::PublishedLimits& limits) {
  if (wanted_ == limits) return;
  wanted_ = limits;
  write_.want();
}

void LimitsPublisher::publish() {
  if (write_.is_due()) write_.tried(send(wanted_));
}

Result<void> LimitsPublisher::withdraw() {
  if (auto done = send(std::nullopt); !done) return done;
  wanted_.reset();
  write_.tried({});
  return {};
}

Result<void> LimitsPublisher::send(const std::optional<api::PublishedLimits>& limits) const {
  json body;
  body["data"][api::kLimitsFile] = limits ? json(api::limits_text(*limits)) : json();
  auto written = client_.patch(kube::kConfigMaps, ns_, kLimits, kube::PatchType::Merge, body);
  const bool is_missing = !written && written.error().kind == ErrorKind::NotFound;
  if (is_missing && !limits) return {};
  if (is_missing) {
    json fresh = api::own_config_map(ns_, kLimits);
    fresh.merge_patch(body);
    written = client_.create(kube::kConfigMaps, fresh);
  }
  if (!written) return std::unexpected(written.error());
  return {};
}

}  // namespace mc::controller::queueing
