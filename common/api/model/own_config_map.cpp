#include "common/api/model/own_config_map.h"

#include "common/api/model/names.h"

namespace mc::api {

json own_config_map(const std::string& ns, const std::string& name) {
  return {{"apiVersion", "v1"},
          {"kind", "ConfigMap"},
          {"metadata",
           {{"name", name},
            {"namespace", ns},
            {"labels", {{"app.kubernetes.io/part-of", kManagedByValue}}}}}};
}

}  // namespace mc::api
