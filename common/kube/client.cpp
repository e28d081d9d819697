#include "common/kube/client.h"

#include <utility>

#include "common/kube/object.h"

namespace mc::kube {

Result<json> Client::send(const Request& request, std::size_t level_of_objects,
                          const Fields& fields) const {
  auto response = transport_->send(request);
  if (!response) return std::unexpected(response.error());
  if (response->status < 200 || response->status > 299) {
    return std::unexpected(api_error(request, *response));
  }
  auto body = parse_answer(response->body, level_of_objects, fields);
  if (!body.is_object()) {
    return fail(ErrorKind::Malformed, request.what + ": the answer is not a JSON object");
  }
  return body;
}

Result<json> Client::list(const Resource& resource, const std::string& ns,
                          ListOptions options) const {
  json all = json::array();
  for (;;) {
    auto page = send(request::list(resource, ns, options), 2);
    if (!page) return page;
    const auto what = request::list(resource, ns, {}).what;
    auto& items = (*page)["items"];
    auto& metadata = (*page)["metadata"];
    if (!(items.is_array() || items.is_null()) || !metadata.is_object()) {
      return fail(ErrorKind::Malformed, what + ": the answer is not a list");
    }
    for (auto& item : items) all.push_back(std::move(item));
    auto token = metadata_text(*page, "continue");
    if (token.empty()) {
      items = std::move(all);
      return page;
    }
    options.continue_token = std::move(token);
  }
}

Result<json> Client::get(const Resource& resource, const std::string& ns,
                         const std::string& name) const {
  return send(request::get(resource, ns, name));
}

Result<json> Client::create(const Resource& resource, const json& object) const {
  return send(request::create(resource, object));
}

Result<json> Client::update(const Resource& resource, const json& object) const {
  return send(request::update(resource, object));
}

Result<json> Client::patch(const Resource& resource, const std::string& ns, const std::string& name,
                           PatchType type, const json& patch, std::string_view subresource) const {
  return send(request::patch(resource, ns, name, type, patch, subresource));
}

Result<json> Client::remove(const Resource& resource, const std::string& ns,
                            const std::string& name, const std::string& uid) const {
  return send(request::remove(resource, ns, name, uid), 0, kOnlyKind);
}

}  // namespace mc::kube
