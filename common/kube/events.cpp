#include "common/kube/events.h"

#include "common/base/digest.h"
#include "common/base/rfc3339.h"
#include "common/base/text.h"
#include "common/kube/client.h"
#include "common/kube/object.h"

namespace mc::kube {
namespace {

constexpr std::size_t kMaxMessage = 1024;
constexpr std::size_t kMaxName = 253;

json involved_object(const ObjectReference& about) {
  json out = {{"apiVersion", about.api_version},
              {"kind", about.kind},
              {"namespace", about.ns},
              {"name", about.name},
              {"uid", about.uid},
              {"resourceVersion", about.resource_version}};
  std::erase_if(out.get_ref<json::object_t&>(),
                [](const auto& member) { return member.second == ""; });
  return out;
}

}  // namespace

json make_event(const ObjectReference& about, EventType type, std::string_view reason,
                std::string_view message, const EventSource& source,
                std::chrono::system_clock::time_point now, std::string_view which) {
  const std::string_view kind = type == EventType::Normal ? "Normal" : "Warning";
  const auto suffix =
      "." + fnv1a_hex(about.uid + "/" + std::string(kind) + "/" + std::string(reason) +
                      (which.empty() ? "" : "/" + std::string(which)));
  const std::string name(cut_utf8(about.name, kMaxName - suffix.size()));
  const auto time = rfc3339(now);
  return {{"apiVersion", "v1"},
          {"kind", "Event"},
          {"metadata",
           {{"name", name + suffix}, {"namespace", about.ns.empty() ? "default" : about.ns}}},
          {"involvedObject", involved_object(about)},
          {"type", kind},
          {"reason", reason},
          {"message", cut_utf8(message, kMaxMessage)},
          {"source", {{"component", source.reporting_component}}},
          {"reportingComponent", source.reporting_component},
          {"reportingInstance", source.reporting_instance},
          {"firstTimestamp", time},
          {"lastTimestamp", time},
          {"count", 1}};
}

json count_patch(const json& stored, const json& event) {
  const auto count = stored.find("count");
  const bool counts = count != stored.end() && count->is_number_integer();
  return {{"metadata",
           {{"uid", metadata_text(stored, "uid")},
            {"resourceVersion", metadata_text(stored, "resourceVersion")}}},
          {"count", counts ? count->get<std::int64_t>() + 1 : 2},
          {"lastTimestamp", event.at("lastTimestamp")},
          {"message", event.at("message")},
          {"reportingInstance", event.at("reportingInstance")}};
}

Result<json> send_event(const Client& client, const json& event) {
  auto sent = client.send(request::create(kEvents, event), 0, kOnlyKind);
  if (sent || sent.error().kind != ErrorKind::AlreadyExists) return sent;
  const std::string ns = text_at(event, {"metadata", "namespace"});
  const std::string name = text_at(event, {"metadata", "name"});
  const auto there = client.get(kEvents, ns, name);
  if (!there) return there;
  const json patch = count_patch(*there, event);
  return client.send(request::patch(kEvents, ns, name, PatchType::Merge, patch), 0, kOnlyKind);
}

}  // namespace mc::kube
