#pragma once
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/base/guarded.h"
#include "common/base/json.h"
#include "common/kube/transport.h"
#include "tests/common/kube/answers.h"
#include "tests/common/kube/transport_to.h"
#include "tests/support/loopback_server.h"

namespace mc::kube {

// The part of an API server that stores the Lease a/x, with optimistic locking.
class LeaseServer {
 public:
  struct State {
    json lease;  // null: none exists
    int version = 0;
    bool broken = false;                // answers every request with 500
    std::vector<std::string> requests;  // "PUT"
  };

  LeaseServer() {
    const std::string path = "/apis/coordination.k8s.io/v1/namespaces/a/leases";
    auto& routes = server_.routes();
    const auto handler = [this](const httplib::Request& request, httplib::Response& response) {
      state_.with([&](State& state) { answer(state, request, response); });
    };
    routes.Get(path + "/x", handler);
    routes.Put(path + "/x", handler);
    routes.Post(path, handler);
    server_.start();
  }

  std::unique_ptr<Transport> transport(TransportOptions options = {}) const {
    return transport_to(server_.url(), std::move(options));
  }

  // Replaces the Lease, as `kubectl edit` does; null deletes it.
  void put(json lease) {
    state_.with([&](State& state) { store(state, std::move(lease)); });
  }
  json lease() const {
    return state_.with([](const State& state) { return state.lease; });
  }
  void set_broken(bool broken) {
    state_.with([&](State& state) { state.broken = broken; });
  }
  // The methods since the last call.
  std::vector<std::string> requests() {
    return state_.with([](State& state) { return std::exchange(state.requests, {}); });
  }

 private:
  static void store(State& state, json lease) {
    state.lease = std::move(lease);
    if (!state.lease.is_null()) {
      state.lease["metadata"]["resourceVersion"] = std::to_string(++state.version);
    }
  }

  static void answer(State& state, const httplib::Request& request, httplib::Response& response) {
    state.requests.push_back(request.method);
    const json sent = json::parse(request.body, nullptr, false);
    const bool exists = state.lease.is_object();
    if (state.broken) return refuse(response, 500, "InternalError");
    if (request.method == "POST") {
      if (exists) return refuse(response, 409, "AlreadyExists");
      store(state, sent);
    } else if (!exists) {
      return refuse(response, 404, "NotFound");
    } else if (request.method == "PUT") {
      if (sent["metadata"]["resourceVersion"] != state.lease["metadata"]["resourceVersion"]) {
        return refuse(response, 409, "Conflict");
      }
      store(state, sent);
    }
    response.set_content(state.lease.dump(), "application/json");
  }

  static void refuse(httplib::Response& response, int code, const char* reason) {
    response.status = code;
    response.set_content(status(code, reason, "no").dump(), "application/json");
  }

  Guarded<State> state_;
  test::LoopbackServer server_;  // after what its handlers use
};

}  // namespace mc::kube
