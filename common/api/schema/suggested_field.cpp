#include "common/api/schema/suggested_field.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <map>
#include <utility>

#include "common/base/similar.h"
#include "common/base/text.h"

namespace mc::api {
namespace {

// No field name is part of a longer one.
constexpr std::size_t kLongestName = 64;
// A shorter part of a name is too ambiguous.
constexpr std::size_t kShortestPart = 4;
// A longer list does not help in a message.
constexpr std::size_t kMostListed = 32;

// `pvc` of persistentVolumeClaim, as kubectl abbreviates it.
std::string initials(std::string_view name) {
  std::string out;
  for (const char c : name) {
    const bool is_capital = std::isupper(static_cast<unsigned char>(c)) != 0;
    if (out.empty() || is_capital) out += c;
  }
  return lower_case(out);
}

// The only known name that contains `name` (in lower case): claimName for claim, imagePullPolicy
// for pullPolicy.
std::string whole_of(const std::string& name, const std::vector<std::string>& known) {
  if (name.size() < kShortestPart) return "";
  const auto holds = [&](const std::string& one) { return lower_case(one).contains(name); };
  if (std::ranges::count_if(known, holds) != 1) return "";
  return *std::ranges::find_if(known, holds);
}

// The name that was probably meant, ignoring case.
std::string meant(std::string_view written, const std::vector<std::string>& known,
                  const std::string& elsewhere) {
  if (written.size() > kLongestName) return "";
  if (std::string similar = most_similar(written, known); !similar.empty()) return similar;
  const std::string name = lower_case(std::string(written));
  const auto abbreviated = std::ranges::find(known, name, initials);
  if (abbreviated != known.end() && name.size() > 1) return *abbreviated;
  const std::string whole = whole_of(name, known);
  return whole.empty() ? elsewhere : whole;
}

std::vector<std::string> names_of(const SchemaNode& schema) {
  std::vector<std::string> out;
  for (const auto& [name, unused] : schema.properties()) out.push_back(name);
  return out;
}

// `runAsUser` as run, as, user; sorted, because users write them in any order.
std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> out(1);
  for (const char c : name) {
    const bool begins = c == '.' || std::isupper(static_cast<unsigned char>(c)) != 0;
    if (begins && !out.back().empty()) out.emplace_back();
    if (c != '.') out.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  std::ranges::sort(out);
  return out;
}

// Whether the names of `path` have the words of `name`: `capabilities.add` those of
// addCapabilities.
bool has_words_of(const std::string& name, const std::string& path) {
  return path.size() == name.size() + 1 && words_of(path) == words_of(name);
}

// The only field one level further down that `fits` the name, as `securityContext.runAsUser`; "" if
// there is not exactly one.
template <class Fits>
std::string further_down(const SchemaNode& schema, const Fits& fits) {
  std::vector<std::string> found;
  for (const auto& [parent, below] : schema.properties()) {
    for (const auto& [child, unused] : below->properties()) {
      std::string path = parent;
      path.append(".").append(child);
      if (fits(path)) found.push_back(std::move(path));
    }
  }
  return found.size() == 1 ? found.front() : "";
}

// `spec.containers[].image` of `spec.containers[3].image`.
std::string any_item(const std::string& path) {
  std::string out;
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (!out.ends_with('[') || !is_digit(path[i])) out += path[i];
  }
  return out;
}

// Where the fields of a MiniCluster's spec are, by their names.
using PathsByName = std::map<std::string, std::vector<std::string>, std::less<>>;

void collect(const SchemaNode& schema, const std::string& path,
             std::vector<const SchemaNode*>& above, PathsByName& out) {
  if (std::ranges::find(above, &schema) != above.end()) return;  // the types refer to each other
  above.push_back(&schema);
  if (schema.items() != nullptr) collect(*schema.items(), path + "[]", above, out);
  if (schema.values() != nullptr) collect(*schema.values(), path + "{}", above, out);
  for (const auto& [name, child] : schema.properties()) {
    std::string at = path;
    at.append(".").append(name);
    out[name].push_back(at);
    collect(*child, at, above, out);
  }
  above.pop_back();
}

const PathsByName& all_paths() {
  static const PathsByName all = [] {
    PathsByName out;
    std::vector<const SchemaNode*> above;
    collect(spec_node(), "spec", above, out);
    collect(pod_spec_node(), std::string(kPodSpecPatch), above, out);
    return out;
  }();
  return all;
}

// The last two names of a path.
std::string_view end_of(std::string_view path) {
  const std::size_t last = path.rfind('.');
  return path.substr(path.rfind('.', last - 1) + 1);
}

// The field of that name in another place of the spec, if all fields of that name belong to fields
// of one name (`securityContext.privileged`): that of the containers, or the first. What
// spec.pod.template has counts for a place within it, and if there is no other.
std::string in_another_place(const std::string& name, const std::string& place) {
  const auto named = all_paths().find(name);
  if (named == all_paths().end()) return "";
  const auto in_template = [](std::string_view path) { return path.starts_with(kPodSpecPatch); };
  std::vector<std::string> found;
  std::ranges::copy_if(named->second, std::back_inserter(found), [&](const std::string& path) {
    return in_template(path) == in_template(place);
  });
  if (found.empty()) found = named->second;
  const auto differs = [&](const std::string& path) {
    return end_of(path) != end_of(found.front());
  };
  if (std::ranges::any_of(found, differs)) return "";
  const auto of_containers = std::ranges::find_if(
      found, [](const auto& path) { return path.contains("spec.containers"); });
  return of_containers == found.end() ? found.front() : *of_containers;
}

std::string did_you_mean(const std::string& other) {
  return "unknown field, did you mean \"" + other + "\"?";
}

}  // namespace

std::string unknown_field(std::string_view name, const std::vector<std::string>& known,
                          const std::string& elsewhere) {
  std::string text = "unknown field";
  if (const std::string other = meant(name, known, elsewhere); !other.empty()) {
    return did_you_mean(other);
  }
  if (known.empty() || known.size() > kMostListed) return text;
  return text + ", must be one of " + joined(known, ", ");
}

std::string unknown_field(const SchemaNode& schema, const Place& parent, const std::string& name) {
  if (name.size() > kLongestName) return unknown_field(name, names_of(schema));
  const std::string place = any_item(parent.path().str()) + ".";
  const std::string reordered =
      further_down(schema, [&](const std::string& path) { return has_words_of(name, path); });
  if (!reordered.empty()) return did_you_mean(place + reordered);
  const std::string below =
      further_down(schema, [&](const std::string& path) { return path.ends_with("." + name); });
  return unknown_field(name, names_of(schema),
                       below.empty() ? in_another_place(name, place) : place + below);
}

}  // namespace mc::api
