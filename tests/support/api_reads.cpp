#include "tests/support/api_reads.h"

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <string_view>

#include "common/kube/client.h"
#include "common/kube/config.h"
#include "common/kube/object.h"
#include "common/kube/request.h"
#include "common/kube/transport.h"
#include "services/api_resources.h"

namespace mc::test {
namespace {

// `pod` and `pods`.
const kube::Resource* resource_of(std::string_view name) {
  for (const kube::Resource* one :
       {&kMiniClusters, &kFluxSetups, &kube::kJobs, &kube::kPods, &kube::kServices,
        &kube::kConfigMaps, &kube::kSecrets, &kube::kPodDisruptionBudgets, &kube::kEvents,
        &kube::kLeases, &kube::kNamespaces}) {
    if (one->plural == name || one->plural == std::string(name) + "s") return one;
  }
  return nullptr;
}

struct Read {
  const kube::Resource* resource = nullptr;
  std::string name;  // "": a list
  bool everywhere = false;
  kube::ListOptions options;
};

// The value of `--option VALUE` or `--option=VALUE` at `i`, which it moves to the last word of
// that.
std::optional<std::string> value_of(std::string_view option, const std::vector<std::string>& words,
                                    std::size_t& i) {
  if (words[i] == option && i + 1 < words.size()) return words[++i];
  const std::string begin = std::string(option) + "=";
  return words[i].starts_with(begin) ? std::optional(words[i].substr(begin.size())) : std::nullopt;
}

std::optional<Read> parse(const std::vector<std::string>& arguments) {
  Read out;
  if (!arguments.empty()) out.resource = resource_of(arguments[0]);
  if (out.resource == nullptr) return std::nullopt;
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    if (const auto labels = value_of("-l", arguments, i)) {
      out.options.label_selector = *labels;
    } else if (const auto fields = value_of("--field-selector", arguments, i)) {
      out.options.field_selector = *fields;
    } else if (arguments[i] == "-A") {
      out.everywhere = true;
    } else if (i == 1 && !arguments[i].empty() && arguments[i].front() != '-') {
      out.name = arguments[i];
    } else {
      return std::nullopt;
    }
  }
  return out;
}

// One for each kubeconfig as it is now: a control plane that starts again has a new one.
kube::Transport& transport(const std::filesystem::path& kubeconfig) {
  using Key = std::pair<std::filesystem::path, std::filesystem::file_time_type>;
  static std::mutex mutex;
  static std::map<Key, std::unique_ptr<kube::Transport>> all;
  const std::scoped_lock lock(mutex);
  auto& one = all[{kubeconfig, std::filesystem::last_write_time(kubeconfig)}];
  if (one == nullptr) {
    one = kube::Transport::create(kube::load_config(kubeconfig).value()).value();
  }
  return *one;
}

// Whether our client has left out some of it (object.h).
bool may_be_cut(const json& object) {
  return count_values(object, kube::kMostObjectValues) > kube::kMostObjectValues / 2;
}

json with_type(json object, const kube::Resource& resource) {
  object["apiVersion"] = kube::api_version(resource);
  object["kind"] = resource.kind;
  return object;
}

}  // namespace

std::optional<json> read_objects(const std::filesystem::path& kubeconfig, const std::string& ns,
                                 const std::vector<std::string>& arguments) {
  const auto read = parse(arguments);
  if (!read) return std::nullopt;
  const kube::Client client(transport(kubeconfig));
  const kube::Resource& resource = *read->resource;
  const std::string in = resource.namespaced && !read->everywhere ? ns : "";
  if (!read->name.empty()) {
    auto object = client.get(resource, in, read->name);
    if (object && may_be_cut(*object)) return std::nullopt;
    if (object) return with_type(*std::move(object), resource);
    // An answer that our client refuses, such as one that is nested deeply, may be read by kubectl.
    return object.error().kind == ErrorKind::NotFound ? std::optional(json()) : std::nullopt;
  }
  auto list = client.list(resource, in, read->options);
  if (!list || std::ranges::any_of((*list)["items"], may_be_cut)) return std::nullopt;
  for (json& item : (*list)["items"]) item = with_type(std::move(item), resource);
  (*list)["apiVersion"] = "v1";
  (*list)["kind"] = "List";
  return *std::move(list);
}

}  // namespace mc::test
