#pragma once
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/http/server.h"
#include "common/observe/metrics.h"
#include "services/webhook/review.h"

namespace mc::webhook {

// From the bytes of an AdmissionReview to the AdmissionResponse: admission_handler(), except in
// tests.
using AdmissionHandler = std::function<AdmissionResponse(Mode, std::string_view)>;
// review() with this policy for unknown fields and the limits of each moment (null: none), if any.
using CurrentLimits = std::function<std::shared_ptr<const api::PublishedLimits>()>;
AdmissionHandler admission_handler(UnknownFields unknown, CurrentLimits limits = {});

// POST /mutate and /validate, counted and logged. An exception of `handler` is answered with an
// AdmissionReview of code 500. `registry` must outlive the routes.
std::vector<http::Route> admission_routes(observe::Registry& registry,
                                          const AdmissionHandler& handler);

// The HTTPS server for `routes`, with limits for admission: bodies of 7 MiB, 512 connections, 12
// MiB of requests under way. `tls` puts the certificate into the context; `registry` must outlive
// the server.
[[nodiscard]] Result<std::unique_ptr<http::Server>> serve_admission(
    observe::Registry& registry, http::BindAddress address, std::function<bool(ssl_ctx_st&)> tls,
    std::vector<http::Route> routes);

}  // namespace mc::webhook
