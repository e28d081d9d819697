#include "tests/faults/audit_writes.h"

#include <algorithm>
#include <charconv>
#include <fstream>

#include "common/base/rfc3339.h"
#include "common/base/text.h"
#include "common/kube/object.h"
#include "tests/faults/replica.h"

namespace mc::test {
namespace {

// `text` has six fractional digits.
AuditedWrite::Time time_of(const std::string& text) {
  const auto seconds = parse_rfc3339(text);
  if (!seconds) return {};
  auto out = std::chrono::floor<std::chrono::seconds>(*seconds) + std::chrono::microseconds(0);
  const std::size_t point = text.find('.');
  int fraction = 0;
  if (point != std::string::npos) {
    std::from_chars(text.data() + point + 1, text.data() + text.size(), fraction);
  }
  return out + std::chrono::microseconds(fraction);
}

std::int64_t version_of_object(const json& object) {
  return parse_integer(kube::metadata_text(object, "resourceVersion")).value_or(0);
}

bool is_done(std::int64_t code) { return code >= 200 && code <= 299; }

bool is_unsure(std::int64_t code) { return code == 404 || code >= 500 || code == 0; }

}  // namespace

bool AuditedWrite::is_by_replica() const { return agent.starts_with(kAgent); }

std::string words(const AuditedWrite& write) {
  const auto second = std::chrono::floor<std::chrono::seconds>(write.received);
  return rfc3339(second) + " (" + std::to_string(write.version) + ") " + write.agent + " " +
         write.verb + " " + write.resource + "/" + write.name;
}

std::vector<AuditedWrite> audited_writes(const std::filesystem::path& log,
                                         const std::string& space) {
  std::vector<AuditedWrite> out;
  std::ifstream file(log);
  std::int64_t last = 0;
  for (std::string line; std::getline(file, line);) {
    if (!line.contains(space) || line.contains("dryRun=All")) continue;
    const json event = json::parse(line, nullptr, false);
    const std::string resource = text_at(event, {"objectRef", "resource"});
    if (text_at(event, {"objectRef", "namespace"}) != space && resource != "fluxsetups") continue;
    const json& object = at_path(event, {"responseObject"});
    const auto code = integer_at(event, {"responseStatus", "code"});
    if (!is_done(code) && !is_unsure(code)) continue;
    const bool has_object =
        is_done(code) && object.is_object() && text_at(object, {"kind"}) != "Status";
    const std::string name =
        has_object ? kube::metadata_text(object, "name") : text_at(event, {"objectRef", "name"});
    if (has_object) last = std::max(last, version_of_object(object));
    out.push_back({has_object ? version_of_object(object) : last,
                   time_of(text_at(event, {"requestReceivedTimestamp"})),
                   time_of(text_at(event, {"stageTimestamp"})), text_at(event, {"userAgent"}),
                   text_at(event, {"verb"}), resource, name,
                   text_at(event, {"objectRef", "subresource"}) == "status",
                   has_object ? object : json()});
  }
  std::ranges::stable_sort(out, {}, &AuditedWrite::version);
  return out;
}

}  // namespace mc::test
