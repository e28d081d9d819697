#include "common/kube/events.h"

#include "common/base/rfc3339.h"
#include "common/base/utf8.h"
#include "common/kube/object.h"

namespace mc::kube {
namespace {

constexpr std::size_t kMaxMessage = 1024;
constexpr std::size_t kMaxName = 253;

std::string hex(std::uint64_t value) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (int shift = 60; shift >= 0; shift -= 4) text += kDigits[(value >> shift) & 15];
  return text;
}

json reference_to(const json& object) {
  json reference = json::object();
  for (const char* member : {"apiVersion", "kind"}) {
    const auto it = object.find(member);
    if (it != object.end() && it->is_string()) reference[member] = *it;
  }
  for (const char* member : {"namespace", "name", "uid", "resourceVersion"}) {
    if (auto text = metadata_text(object, member); !text.empty()) reference[member] = text;
  }
  return reference;
}

}  // namespace

json make_event(const json& object, EventType type, std::string_view reason,
                std::string_view message, const Reporter& reporter,
                std::chrono::system_clock::time_point now) {
  const auto ns = metadata_text(object, "namespace");
  const auto nanoseconds =
      std::chrono::duration_cast<std::chrono::nanoseconds>(now.time_since_epoch()).count();
  const auto suffix = "." + hex(static_cast<std::uint64_t>(nanoseconds));
  const auto own_name = metadata_text(object, "name");
  const std::string name(cut_utf8(own_name, kMaxName - suffix.size()));
  const auto time = rfc3339(now);
  return {{"apiVersion", "v1"},
          {"kind", "Event"},
          {"metadata", {{"name", name + suffix}, {"namespace", ns.empty() ? "default" : ns}}},
          {"involvedObject", reference_to(object)},
          {"type", type == EventType::Normal ? "Normal" : "Warning"},
          {"reason", reason},
          {"message", cut_utf8(message, kMaxMessage)},
          {"source", {{"component", reporter.controller}}},
          {"reportingComponent", reporter.controller},
          {"reportingInstance", reporter.instance},
          {"firstTimestamp", time},
          {"lastTimestamp", time},
          {"count", 1}};
}

}  // namespace mc::kube
