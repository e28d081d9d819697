#pragma once
#include <string>
#include <string_view>

#include "common/base/json.h"
#include "common/base/result.h"
#include "common/kube/request.h"
#include "common/kube/transport.h"

namespace mc::kube {

// The API server's verbs. A cheap handle on a Transport, which must outlive it; copy it, and use it
// from many threads. Each verb is one exchange (list: one a page), is never tried again here, and
// fails with what api_error says.
class Client {
 public:
  explicit Client(Transport& transport) : transport_(&transport) {}

  // Any request but a watch; for what has no verb here, a dry run, say. `level_of_objects`: of
  // parse_answer.
  [[nodiscard]] Result<json> send(const Request& request, std::size_t level_of_objects = 0) const;

  // Every page as one list: {"items": [...], "metadata": {"resourceVersion": ...}}. Gone: the pages
  // took so long that the list they belong to is forgotten.
  [[nodiscard]] Result<json> list(const Resource& resource, const std::string& ns,
                                  ListOptions options = {}) const;
  [[nodiscard]] Result<json> get(const Resource& resource, const std::string& ns,
                                 const std::string& name) const;
  // The writes answer with the object as it is now; see request.h for what each sends.
  [[nodiscard]] Result<json> create(const Resource& resource, const json& object) const;
  [[nodiscard]] Result<json> update(const Resource& resource, const json& object) const;
  [[nodiscard]] Result<json> update_status(const Resource& resource, const json& object) const;
  [[nodiscard]] Result<json> patch(const Resource& resource, const std::string& ns,
                                   const std::string& name, PatchType type, const json& patch,
                                   std::string_view subresource = {}) const;
  [[nodiscard]] Result<json> remove(const Resource& resource, const std::string& ns,
                                    const std::string& name, const std::string& uid = {}) const;

 private:
  Transport* transport_;
};

}  // namespace mc::kube
