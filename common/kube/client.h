#pragma once
#include <string>
#include <string_view>

#include "common/base/fields.h"
#include "common/base/json.h"
#include "common/base/result.h"
#include "common/kube/request.h"
#include "common/kube/transport.h"

namespace mc::kube {

// All that is read of an answer that the caller does not need.
inline const Fields kOnlyKind{.members = {{.name = "kind"}}};

// The API server's verbs. A cheap handle on a Transport, which must outlive it; can be copied and
// used from many threads. Each verb is one request (list: one per page), is never retried here, and
// fails with an api_error.
class Client {
 public:
  explicit Client(Transport& transport) : transport_(&transport) {}

  // Sends any request except a watch, for example a dry run. For the others see parse_answer.
  [[nodiscard]] Result<json> send(const Request& request, std::size_t level_of_objects = 0,
                                  const Fields& fields = kAllFields) const;

  // All pages as one list: {"items": [...], "metadata": {"resourceVersion": ...}}. Gone: the
  // continue token has expired.
  [[nodiscard]] Result<json> list(const Resource& resource, const std::string& ns,
                                  ListOptions options = {}) const;
  [[nodiscard]] Result<json> get(const Resource& resource, const std::string& ns,
                                 const std::string& name) const;
  // Writes return the object as stored; see request.h for what each sends.
  [[nodiscard]] Result<json> create(const Resource& resource, const json& object) const;
  [[nodiscard]] Result<json> update(const Resource& resource, const json& object) const;
  [[nodiscard]] Result<json> patch(const Resource& resource, const std::string& ns,
                                   const std::string& name, PatchType type, const json& patch,
                                   std::string_view subresource = {}) const;
  // Has kOnlyKind of the answer.
  [[nodiscard]] Result<json> remove(const Resource& resource, const std::string& ns,
                                    const std::string& name, const std::string& uid = {}) const;

 private:
  Transport* transport_;
};

}  // namespace mc::kube
