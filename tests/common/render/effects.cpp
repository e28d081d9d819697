#include "tests/common/render/effects.h"

#include <algorithm>
#include <sstream>

#include "common/api/examine.h"
#include "common/api/model/conditions.h"
#include "common/base/json.h"
#include "common/base/rfc3339.h"
#include "common/base/yaml.h"
#include "common/commands/render.h"
#include "services/controller/cluster/read.h"
#include "services/controller/reconcile/plan.h"
#include "tests/common/render/pod_dir.h"
#include "tests/support/folders.h"

namespace mc::test {
namespace {

json read_effects() {
  const auto path = test::source_dir() / "tests/common/render/effects.json";
  json rows = json::parse(text_of(path), nullptr, false);
  return rows.is_array() ? rows : json::array();
}

// The first segment of `field` (`volumes{}` of `volumes{}.path`); `field` keeps the rest.
std::string_view take_segment(std::string_view& field) {
  const std::size_t end = std::min(field.find('.'), field.size());
  const std::string_view out = field.substr(0, end);
  field.remove_prefix(std::min(end + 1, field.size()));
  return out;
}

const json* find_object(const std::vector<json>& objects, const json& in) {
  for (const json& object : objects) {
    if (object["kind"] == in["object"] &&
        (!in.contains("name") || object["metadata"]["name"] == in["name"])) {
      return &object;
    }
  }
  return nullptr;
}

bool shows_in_object(const json& manifest, const json& in) {
  const auto objects = objects_of(manifest, in["object"] == "Secret");
  if (!objects) return false;
  const json* object = find_object(*objects, in);
  if (in.contains("absent")) return object == nullptr;
  if (object == nullptr) return false;
  const json::json_pointer at(in["at"].get<std::string>());
  const json found = object->contains(at) ? object->at(at) : json();
  if (in.contains("is")) return found == in["is"];
  return found.is_array() &&
         std::ranges::any_of(found, [&](const json& entry) { return contains(entry, in["has"]); });
}

// Terminates a broker that does not end by itself: an interactive lead once it runs, a follower
// once it has lost its lead (fake_flux.sh) and restarted. `sleep` is only the polling interval.
std::string broker_script(const std::string& last_call, int times) {
  return "sh $operator/flux-init.sh >/dev/null || exit\n"
         "printf '1\\n1\\n' >$FAKE_FLUX/followers\n"
         "sh $operator/wait-0.sh & pid=$!\n"
         "(until [ \"$(grep -c '^\\[" +
         last_call + "\\]' $FAKE_FLUX/calls)\" -ge " + std::to_string(times) +
         " ]; do sleep 0.1; done; kill -TERM $pid) >/dev/null 2>&1 & watcher=$!\n"
         "wait $pid\n"
         "kill $watcher 2>/dev/null";
}

// For the sidecar, which finds no broker: it runs only what does not wait for one.
constexpr const char* kSidecar = "sh $operator/flux-init.sh >/dev/null; sh $operator/start-1.sh";

// The controller's writes, one per line, for a new MiniCluster or one that has just ended.
std::string plan_of(const json& manifest, const std::string& moment) {
  const auto now = std::chrono::system_clock::from_time_t(1767225600);
  json object = manifest;
  if (moment == "finished") {
    object["status"] = {
        {"completionTime", rfc3339(now)},
        {"conditions", json::array({{{"type", api::kComplete}, {"status", "True"}}})}};
  }
  controller::Observed seen;
  seen.cluster =
      std::make_shared<const controller::MiniCluster>(controller::read_mini_cluster(object));
  const controller::Plan todo =
      controller::plan(seen, api::examine(object), {}, now, [] { return "certificate"; });
  std::string out;
  const auto add = [&out](const char* verb, const std::string& kind) {
    out.append(verb).append(" ").append(kind).append("\n");
  };
  for (const controller::Create& create : todo.create) {
    add("create", text_at(create.object, {"kind"}));
  }
  for (const controller::ObjectVersion& target : todo.remove) add("remove", target.kind);
  if (todo.requeue_after)
    out += "again after " + std::to_string(todo.requeue_after->count()) + " s\n";
  return out;
}

bool shows_in_text(const std::string& text, const json& in) {
  if (in.contains("lacks")) return text.find(in["lacks"].get<std::string>()) == std::string::npos;
  return text.find(in["has"].get<std::string>()) != std::string::npos;
}

bool shows_in_run(const json& manifest, const json& in) {
  const PodDir pod(api::examine(manifest).cluster);
  const std::string run = in["run"];
  const Outcome outcome = run == "init"       ? pod.run("sh $operator/flux-init.sh")
                          : run == "sidecar"  ? pod.run(kSidecar)
                          : run == "follower" ? pod.run(broker_script("start", 2), 1)
                                              : pod.run(broker_script("broker", 1));
  const std::string where = in["seen"];
  const std::string seen = where == "calls" ? pod.calls()
                           : where == "out" ? outcome.out + outcome.err
                                            : text_of(pod.file(where));
  return shows_in_text(seen, in);
}

}  // namespace

const json& effects() {
  static const json rows = read_effects();
  return rows;
}

std::set<std::string> leaves(const std::set<std::string>& paths) {
  std::set<std::string> out;
  for (const std::string& path : paths) {
    const bool parent = std::ranges::any_of(paths, [&](const std::string& other) {
      return other.starts_with(path + ".") || other.starts_with(path + "[].") ||
             other.starts_with(path + "{}.");
    });
    if (!parent) out.insert(path);
  }
  return out;
}

json patched(json base, const json& patch) {
  if (base.is_array() && patch.is_array()) {
    for (std::size_t i = 0; i < patch.size(); ++i) {
      base[i] = patched(i < base.size() ? base[i] : json(), patch[i]);
    }
    return base;
  }
  if (!patch.is_object()) return patch;
  if (!base.is_object()) base = json::object();
  for (const auto& [name, value] : patch.items()) base[name] = patched(base[name], value);
  return base;
}

std::size_t erase_field(json& spec, std::string_view field) {
  const std::string_view segment = take_segment(field);
  const bool many = segment.ends_with("[]") || segment.ends_with("{}");
  const std::string name(segment.substr(0, segment.size() - (many ? 2 : 0)));
  if (!spec.is_object() || !spec.contains(name)) return 0;
  if (field.empty()) return spec.erase(name);
  if (!many) return erase_field(spec[name], field);
  std::size_t count = 0;
  for (json& entry : spec[name]) count += erase_field(entry, field);
  return count;
}

bool contains(const json& whole, const json& part) {
  if (part.is_object()) {
    return whole.is_object() && std::ranges::all_of(part.items(), [&](const auto& member) {
             return whole.contains(member.key()) && contains(whole[member.key()], member.value());
           });
  }
  if (part.is_array()) {
    return whole.is_array() && std::ranges::equal(whole, part, [](const json& a, const json& b) {
             return contains(a, b);
           });
  }
  return whole == part;
}

json manifest(const json& given) {
  const json container = {{"image", "ubuntu:noble"}, {"command", "echo hello"}};
  const json spec = {{"size", 4}, {"containers", json::array({container})}};
  return {{"apiVersion", "flux-framework.org/v1alpha2"},
          {"kind", "MiniCluster"},
          {"metadata",
           {{"name", "flux-sample"},
            {"namespace", "default"},
            {"uid", "6f2a1c9e-1b7d-4c55-9f5e-0a1b2c3d4e5f"}}},
          {"spec", patched(spec, given)}};
}

std::optional<std::vector<json>> objects_of(const json& manifest, bool with_secrets) {
  std::istringstream in(manifest.dump());
  std::ostringstream out, err;
  if (commands::render({{"-"}, with_secrets}, in, out, err) != 0) return std::nullopt;
  const auto documents = parse_yaml(out.str());
  return documents ? std::optional(*documents) : std::nullopt;
}

bool shows(const json& manifest, const json& in) {
  if (in.contains("plan")) return shows_in_text(plan_of(manifest, in["plan"]), in);
  return in.contains("run") ? shows_in_run(manifest, in) : shows_in_object(manifest, in);
}

}  // namespace mc::test
