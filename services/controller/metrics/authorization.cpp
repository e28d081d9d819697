#include "services/controller/metrics/authorization.h"

#include <algorithm>
#include <cctype>
#include <tuple>
#include <utility>

#include "common/base/json.h"
#include "common/base/text.h"
#include "common/kube/access_review.h"
#include "common/observe/log.h"

namespace mc::controller {
namespace {

using http::Response;

constexpr std::string_view kPath = "/metrics";
constexpr std::string_view kVerb = "get";

// The token after the scheme `Bearer `, in any case; "" if there is none.
std::string_view token_of(std::string_view authorization) {
  constexpr std::string_view kScheme = "bearer ";
  const auto same = [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) == static_cast<unsigned char>(b);
  };
  if (authorization.size() < kScheme.size() ||
      !std::ranges::equal(authorization.substr(0, kScheme.size()), kScheme, same)) {
    return {};
  }
  return trimmed(authorization.substr(kScheme.size()), " ");
}

std::optional<Response> answer(const AccessVerdict& verdict) {
  if (verdict.allowed()) return std::nullopt;
  return Response{verdict.status, verdict.why + "\n"};
}

}  // namespace

std::optional<Response> MetricsAccess::refusal(const http::Request& request) {
  const std::string_view token = token_of(request.authorization);
  if (token.empty()) return Response{401, "a bearer token is needed\n"};
  const std::string digest = kube::token_digest(token);
  const auto now = clock_.now();
  const auto known = cache_.with([&](const AccessCache& cache) { return cache.find(digest, now); });
  if (known) {
    if (is_due(digest)) again_.add(std::string(token));
    return answer(*known);
  }
  if (!may_ask(digest)) {
    return Response{429, "too many unknown tokens, try again in a second\n"};
  }
  const auto verdict = ask_and_keep(token, digest);
  return verdict ? answer(*verdict) : failed(verdict.error());
}

void MetricsAccess::run(const std::stop_token& stop) {
  while (const auto token = again_.take(stop)) {
    const std::string digest = kube::token_digest(*token);
    // Without an answer the old verdict holds until it expires; then the scrape asks and gets the
    // error.
    if (is_due(digest) && may_ask(digest)) std::ignore = ask_and_keep(*token, digest);
    again_.done(*token);
  }
}

bool MetricsAccess::is_due(const std::string& digest) const {
  return cache_.with([&](const AccessCache& cache) { return cache.is_due(digest, clock_.now()); });
}

bool MetricsAccess::may_ask(const std::string& digest) {
  return cache_.with([&](AccessCache& cache) { return cache.may_ask(digest, clock_.now()); });
}

Result<AccessVerdict> MetricsAccess::ask_and_keep(std::string_view token,
                                                  const std::string& digest) {
  auto verdict = ask(token);
  if (!verdict) return verdict;
  last_error_.with([](std::string& last) { last.clear(); });
  cache_.with([&](AccessCache& cache) { cache.keep(digest, *verdict, clock_.now()); });
  return verdict;
}

Result<AccessVerdict> MetricsAccess::ask(std::string_view token) const {
  const auto user = kube::review_token(client_, token);
  if (!user) return std::unexpected(user.error());
  if (user->is_null()) return AccessVerdict{401, "the bearer token is unknown"};
  const auto may = kube::may_access(client_, *user, kPath, kVerb);
  if (!may) return std::unexpected(may.error());
  if (*may) return AccessVerdict{};
  return AccessVerdict{403, "user \"" + text_at(*user, {"username"}) + "\" may not " +
                                std::string(kVerb) + " path \"" + std::string(kPath) + "\""};
}

// Only the log has the reason, once: the client has shown no right to know it.
Response MetricsAccess::failed(const Error& error) {
  const bool is_new = last_error_.with(
      [&](std::string& last) { return std::exchange(last, error.message) != error.message; });
  if (is_new) log::error("Cannot check who may read the metrics", {{"err", error.message}});
  if (error.kind == ErrorKind::Unavailable || error.kind == ErrorKind::Throttled) {
    return {503,
            "cannot check who may read the metrics: the API server is unavailable, try again\n"};
  }
  return {500, "the controller cannot check who may read the metrics, see its log\n"};
}

bool RateLimiter::take(TimePoint now) {
  auto& oldest = last_[next_];
  if (oldest && now - *oldest < std::chrono::seconds(1)) return false;
  oldest = now;
  next_ = (next_ + 1) % kPerSecond;
  return true;
}

std::optional<AccessVerdict> AccessCache::find(const std::string& digest, TimePoint now) const {
  const auto entry = entries_.find(digest);
  if (entry == entries_.end() || entry->second.until <= now) return std::nullopt;
  return entry->second.verdict;
}

bool AccessCache::is_due(const std::string& digest, TimePoint now) const {
  const auto entry = entries_.find(digest);
  return entry != entries_.end() && entry->second.verdict.allowed() &&
         entry->second.until - now <= kAllowedFor / 2;
}

bool AccessCache::may_ask(const std::string& digest, TimePoint now) {
  const auto entry = entries_.find(digest);
  const bool known = entry != entries_.end() && entry->second.verdict.allowed();
  return (known ? known_ : unknown_).take(now);
}

void AccessCache::keep(const std::string& digest, AccessVerdict verdict, TimePoint now) {
  const TimePoint until = now + (verdict.allowed() ? kAllowedFor : kRefusedFor);
  entries_[digest] = {std::move(verdict), until};
  if (entries_.size() <= kMost) return;
  const auto sooner = [&](const auto& a, const auto& b) {
    const auto rank = [&](const auto& entry) {
      return std::tuple(entry.first == digest, entry.second.verdict.allowed(), entry.second.until);
    };
    return rank(a) < rank(b);
  };
  entries_.erase(std::ranges::min_element(entries_, sooner));
}

}  // namespace mc::controller
