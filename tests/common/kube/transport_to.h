#pragma once
#include <memory>
#include <string>
#include <utility>

#include "common/kube/transport.h"
#include "tests/support/must.h"

namespace mc::kube {

inline std::unique_ptr<Transport> transport_to(const std::string& url,
                                               TransportOptions options = {}, Config config = {}) {
  config.server = url;
  return test::must(Transport::create(config, std::move(options)));
}

inline Request get(const std::string& path) {
  Request request;
  request.method = "GET";
  request.path = path;
  request.what = "get " + path;
  return request;
}

}  // namespace mc::kube
