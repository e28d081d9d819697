#include "common/kube/request.h"

#include <utility>

#include "common/kube/object.h"

namespace mc::kube {
namespace {

// RFC 3986: everything but the unreserved characters.
std::string percent_encoded(std::string_view text) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '.' || c == '_' || c == '~';
    if (plain) {
      out += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    out += '%';
    out += kHex[byte >> 4];
    out += kHex[byte & 15];
  }
  return out;
}

void add_query(std::string& path, std::string_view key, std::string_view value) {
  if (value.empty()) return;
  path += path.find('?') == std::string::npos ? '?' : '&';
  path.append(key).append("=").append(percent_encoded(value));
}

std::string collection_path(const Resource& resource, const std::string& ns) {
  std::string path = resource.group.empty() ? "/api/" : "/apis/";
  path += api_version(resource);
  if (resource.namespaced && !ns.empty()) path += "/namespaces/" + percent_encoded(ns);
  return path.append("/").append(resource.plural);
}

// Empty without a name: the collection's path would get, or delete, every object of the namespace.
std::string object_path(const Resource& resource, const std::string& ns, const std::string& name,
                        std::string_view subresource = {}) {
  if (name.empty()) return {};
  auto path = collection_path(resource, ns) + "/" + percent_encoded(name);
  if (!subresource.empty()) path.append("/").append(subresource);
  return path;
}

std::string what(std::string_view verb, const Resource& resource, const std::string& ns,
                 const std::string& name = {}) {
  std::string words(verb);
  words.append(" ").append(resource.kind);
  if (name.empty()) return words + (ns.empty() ? " in all namespaces" : " in " + ns);
  return words + " " + (ns.empty() ? name : ns + "/" + name);
}

Request make(std::string_view method, const Resource& resource, std::string path,
             std::string words) {
  Request request;
  request.method = method;
  request.path = std::move(path);
  request.what = std::move(words);
  request.confidential = resource.kind == kSecrets.kind && resource.group == kSecrets.group;
  return request;
}

Request with_body(Request request, const json& body, std::string content_type) {
  // Invalid UTF-8 is replaced: a refusal by the API server is better than an exception.
  request.body = dump(body);
  request.content_type = std::move(content_type);
  return request;
}

}  // namespace

std::string api_version(const Resource& resource) {
  std::string text(resource.group);
  if (!text.empty()) text += '/';
  return text.append(resource.version);
}

namespace request {

Request list(const Resource& resource, const std::string& ns, const ListOptions& options) {
  auto path = collection_path(resource, ns);
  add_query(path, "labelSelector", options.label_selector);
  add_query(path, "fieldSelector", options.field_selector);
  if (options.limit > 0) add_query(path, "limit", std::to_string(options.limit));
  add_query(path, "continue", options.continue_token);
  auto request = make("GET", resource, std::move(path), what("list", resource, ns));
  if (options.metadata_only) {
    request.accept = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
  }
  return request;
}

Request watch(const Resource& resource, const std::string& ns, const WatchOptions& options) {
  auto path = collection_path(resource, ns);
  add_query(path, "watch", "true");
  add_query(path, "allowWatchBookmarks", "true");
  add_query(path, "timeoutSeconds", std::to_string(kWatchTimeoutSeconds));
  add_query(path, "labelSelector", options.label_selector);
  add_query(path, "fieldSelector", options.field_selector);
  add_query(path, "resourceVersion", options.resource_version);
  auto request = make("GET", resource, std::move(path), what("watch", resource, ns));
  return options.metadata_only ? for_metadata(std::move(request)) : request;
}

Request get(const Resource& resource, const std::string& ns, const std::string& name) {
  return make("GET", resource, object_path(resource, ns, name), what("get", resource, ns, name));
}

Request group(std::string_view group) {
  Request request;
  request.method = "GET";
  request.path = "/apis/" + percent_encoded(group);
  request.what = "get the API group " + std::string(group);
  return request;
}

Request create(const Resource& resource, const json& object) {
  const auto ns = metadata_text(object, "namespace");
  auto name = metadata_text(object, "name");
  if (name.empty()) name = metadata_text(object, "generateName");
  return with_body(
      make("POST", resource, collection_path(resource, ns), what("create", resource, ns, name)),
      object, "application/json");
}

Request update(const Resource& resource, const json& object) {
  const auto ns = metadata_text(object, "namespace");
  const auto name = metadata_text(object, "name");
  return with_body(
      make("PUT", resource, object_path(resource, ns, name), what("update", resource, ns, name)),
      object, "application/json");
}

Request patch(const Resource& resource, const std::string& ns, const std::string& name,
              PatchType type, const json& patch, std::string_view subresource) {
  return with_body(
      make("PATCH", resource, object_path(resource, ns, name, subresource),
           what(subresource.empty() ? "patch" : "patch status of", resource, ns, name)),
      patch,
      type == PatchType::Json ? "application/json-patch+json" : "application/merge-patch+json");
}

Request remove(const Resource& resource, const std::string& ns, const std::string& name,
               const std::string& uid) {
  json options = {
      {"apiVersion", "v1"}, {"kind", "DeleteOptions"}, {"propagationPolicy", "Background"}};
  if (!uid.empty()) options["preconditions"] = {{"uid", uid}};
  return with_body(
      make("DELETE", resource, object_path(resource, ns, name), what("delete", resource, ns, name)),
      options, "application/json");
}

Request dry_run(Request write) {
  add_query(write.path, "dryRun", "All");
  return write;
}

Request for_metadata(Request request) {
  request.accept = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
  return request;
}

}  // namespace request
}  // namespace mc::kube
