#include "services/controller/queueing/held_config_map.h"

#include <utility>

#include "common/api/model/own_config_map.h"
#include "common/base/unique_name.h"

namespace mc::controller::queueing {

HeldConfigMap::HeldConfigMap(const kube::Client& client, std::string ns, std::string name,
                             std::string instance)
    : client_(client), ns_(std::move(ns)), name_(std::move(name)), instance_(std::move(instance)) {}

// A patch that changes nothing gets no new resourceVersion, and would stop no other write.
Result<json> HeldConfigMap::take_over() {
  version_.reset();
  holder_ = unique_name(instance_);
  auto there = client_.get(kube::kConfigMaps, ns_, name_);
  if (!there && there.error().kind == ErrorKind::NotFound) {
    version_ = "";
    return json();
  }
  if (!there) return std::unexpected(there.error());
  version_ = text_at(*there, {"metadata", "resourceVersion"});
  if (auto sent = write(json::object()); !sent) return std::unexpected(sent.error());
  return there;
}

// In a create, null is no value.
Result<void> HeldConfigMap::write(json body) {
  if (!version_) return fail(ErrorKind::Conflict, name_ + " was not read after an error");
  body["metadata"]["annotations"][kHolder] = holder_;
  if (!version_->empty()) {
    body["metadata"]["resourceVersion"] = *version_;
    return keep(client_.patch(kube::kConfigMaps, ns_, name_, kube::PatchType::Merge, body));
  }
  json fresh = api::own_config_map(ns_, name_);
  fresh.merge_patch(body);
  return keep(client_.create(kube::kConfigMaps, fresh));
}

Result<void> HeldConfigMap::keep(Result<json> written) {
  version_.reset();
  if (!written) return std::unexpected(written.error());
  version_ = text_at(*written, {"metadata", "resourceVersion"});
  return {};
}

}  // namespace mc::controller::queueing
