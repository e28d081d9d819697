#include "common/kube/watcher.h"

#include <utility>

#include "common/kube/api_error.h"

namespace mc::kube {

Request Watcher::next() const {
  if (const auto* watching = std::get_if<Watching>(&state_)) {
    return request::watch(scope_.resource, scope_.ns,
                          {.label_selector = scope_.label_selector,
                           .field_selector = scope_.field_selector,
                           .resource_version = watching->resource_version,
                           .metadata_only = scope_.metadata_only});
  }
  ListOptions options{.label_selector = scope_.label_selector,
                      .field_selector = scope_.field_selector,
                      .metadata_only = scope_.metadata_only};
  if (const auto* listing = std::get_if<Listing>(&state_)) {
    options.continue_token = listing->continue_token;
  }
  return request::list(scope_.resource, scope_.ns, options);
}

Result<std::vector<WatchEvent>> Watcher::page(std::string_view body) {
  auto events = events_of_page(parse_answer(body, 2, scope_.fields));
  if (!events) state_ = Empty{};
  return events;
}

Result<std::vector<WatchEvent>> Watcher::events_of_page(json list) {
  const auto malformed = [this] {
    return fail(ErrorKind::Malformed, next().what + ": the answer is not a list");
  };
  if (!list.is_object()) return malformed();
  const auto version = metadata_text(list, "resourceVersion");
  auto items = list.find("items");
  if (version.empty() || items == list.end() || !(items->is_array() || items->is_null())) {
    return malformed();
  }
  std::vector<WatchEvent> events;
  if (std::holds_alternative<Empty>(state_)) events.emplace_back(Restarted{});
  for (auto& item : *items) {
    auto object = taken_in(std::move(item));
    if (!object) return std::unexpected(object.error());
    events.emplace_back(Listed{std::move(*object)});
  }
  if (auto token = metadata_text(list, "continue"); !token.empty()) {
    state_ = Listing{std::move(token)};
  } else {
    state_ = Watching{version};
    events.emplace_back(Synced{version});
  }
  return events;
}

Result<std::optional<WatchEvent>> Watcher::line(std::string_view line, const IsKnown& is_known) {
  bool knows = false;
  json parsed = parse_answer(line, 1, scope_.fields, [&](const json& metadata) {
    return knows = is_known && is_known(metadata);
  });
  // In place of an object it has a Status, of which all is read.
  if (text_at(parsed, {"type"}) == "ERROR") parsed = parse_answer(line, 1);
  auto event = event_of_line(std::move(parsed), knows);
  if (!event &&
      (event.error().kind == ErrorKind::Gone || event.error().kind == ErrorKind::Malformed)) {
    state_ = Empty{};
  }
  return event;
}

Result<std::optional<WatchEvent>> Watcher::event_of_line(json line, bool is_known) {
  const auto malformed = [this](const std::string& why) {
    return fail(ErrorKind::Malformed, next().what + ": " + why);
  };
  if (!line.is_object() || !line.contains("object") || !line["object"].is_object()) {
    return malformed("a line is not a watch event");
  }
  const auto type = line.value("type", json());
  auto& object = line["object"];
  if (type == "ERROR") return std::unexpected(api_error(next(), object));

  auto version = metadata_text(object, "resourceVersion");
  if (version.empty()) return malformed("an event has no resourceVersion");
  std::optional<WatchEvent> event;
  if (is_known && (type == "ADDED" || type == "MODIFIED")) {
    event = Repeated{version};
  } else if (type == "ADDED" || type == "MODIFIED" || type == "DELETED") {
    auto taken = taken_in(std::move(object));
    if (!taken) return std::unexpected(taken.error());
    if (type == "DELETED") {
      event = Deleted{std::move(*taken)};
    } else {
      event = Applied{std::move(*taken)};
    }
  } else if (type != "BOOKMARK") {
    return malformed("an event has an unknown type");
  }
  state_ = Watching{std::move(version)};
  return event;
}

void Watcher::failed(const Error& error) {
  const bool is_unreadable = watching() && error.kind == ErrorKind::Malformed;
  if (error.kind == ErrorKind::Gone || is_unreadable) state_ = Empty{};
}

Result<Object> Watcher::taken_in(json object) const {
  if (!object.is_object() || metadata_text(object, "name").empty()) {
    return fail(ErrorKind::Malformed, next().what + ": an object has no name");
  }
  // Items of a list lack both; objects must look the same from a list and from a watch.
  if (!object.contains("kind")) object["kind"] = scope_.resource.kind;
  if (!object.contains("apiVersion")) object["apiVersion"] = api_version(scope_.resource);
  return std::make_shared<const json>(std::move(object));
}

}  // namespace mc::kube
