#include <algorithm>
#include <cctype>
#include <string>
#include <utility>

#include "common/api/schema/schema.h"
#include "common/base/json.h"
#include "common/base/text.h"

namespace mc::api {
namespace {

// No field name is close to a longer one, and the distance takes time proportional to the length.
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

// The number of letters to change, add, remove or swap with the next one (the optimal string
// alignment distance).
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before, last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j < last.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    before = std::exchange(last, row);
  }
  return last[b.size()];
}

// The only known name that contains `name` (in lower case): claimName for claim, imagePullPolicy
// for pullPolicy.
std::string whole_of(const std::string& name, const std::vector<std::string>& known) {
  if (name.size() < kShortestPart) return "";
  const auto holds = [&](const std::string& one) { return lower_case(one).contains(name); };
  if (std::ranges::count_if(known, holds) != 1) return "";
  return *std::ranges::find_if(known, holds);
}

// The known name that is closest to `name`, or "". It differs in one or two letters, and a long
// name in up to a third of its letters.
std::string nearest(const std::string& name, const std::vector<std::string>& known) {
  std::string best;
  std::size_t least = name.size() <= 3 ? 2 : std::max<std::size_t>(2, name.size() / 3) + 1;
  for (const std::string& one : known) {
    if (const std::size_t d = distance(name, lower_case(one)); d < least) {
      least = d;
      best = one;
    }
  }
  return best;
}

// The name that was probably meant, ignoring case.
std::string meant(std::string_view written, const std::vector<std::string>& known,
                  const std::string& elsewhere) {
  if (written.size() > kLongestName) return "";
  const std::string name = lower_case(std::string(written));
  if (std::string near = nearest(name, known); !near.empty()) return near;
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

// `OWNER.NAME` for the only one of the schemas with a field `name`; "" if there is not exactly one.
std::string only_one_with(const std::string& name, const SchemaNode::Properties& schemas) {
  std::string out;
  for (const auto& [owner, schema] : schemas) {
    if (!schema->properties().contains(name)) continue;
    if (!out.empty()) return "";
    out.append(owner).append(".").append(name);
  }
  return out;
}

// A field one level further down (`securityContext.runAsUser`) or of another type
// (`PodSecurityContext.fsGroup`).
std::string elsewhere(const std::string& name, const SchemaNode& schema) {
  const std::string below = only_one_with(name, schema.properties());
  return below.empty() ? only_one_with(name, kubernetes_types()) : below;
}

class Walk {
 public:
  void visit(const json& value, const SchemaNode& schema, const Place& place, bool embedded) {
    embedded = embedded || schema.is_embedded();
    if (schema.is_opaque() || embedded_ > kMostErrors) return;
    const SchemaNode* items = schema.items();
    for (std::size_t i = 0; items != nullptr && value.is_array() && i < value.size(); ++i) {
      visit(value[i], *items, place[i], embedded);
    }
    if (items != nullptr || !value.is_object()) return;
    for (const auto& [name, member] : value.items()) {
      const Place at = place.child(schema, name);
      if (const SchemaNode* child = schema.child(name)) {
        visit(member, *child, at, embedded);
      } else {
        report(at, name, schema, embedded);
      }
    }
  }

  std::vector<UnknownField> found() && { return std::move(found_); }

 private:
  void report(const Place& at, const std::string& name, const SchemaNode& schema, bool embedded) {
    std::size_t& reported = embedded ? embedded_ : own_;
    if (reported > kMostErrors) return;
    ++reported;
    const std::string other = embedded ? elsewhere(name, schema) : "";
    found_.push_back({at.path(), unknown_field(name, names_of(schema), other), embedded});
  }

  std::vector<UnknownField> found_;
  std::size_t embedded_ = 0, own_ = 0;  // of found_
};

}  // namespace

std::string unknown_field(std::string_view name, const std::vector<std::string>& known,
                          const std::string& elsewhere) {
  std::string text = "unknown field";
  if (const std::string other = meant(name, known, elsewhere); !other.empty()) {
    return text + ", did you mean \"" + other + "\"?";
  }
  if (known.empty() || known.size() > kMostListed) return text;
  return text + ", must be one of " + joined(known, ", ");
}

std::vector<UnknownField> unknown_fields(const json& object, std::string_view kind) {
  Walk walk;
  walk.visit(at_path(object, {"spec"}), spec_node(kind), Place("spec"), false);
  if (kind == kKind) {
    walk.visit(at_path(object, {"spec", "pod", "template", "spec"}), pod_spec_node(),
               Place(kPodSpecPatch), true);
  }
  return std::move(walk).found();
}

}  // namespace mc::api
