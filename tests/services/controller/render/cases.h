#pragma once
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "common/api/model/minicluster.h"
#include "common/base/json.h"
#include "tests/support/clusters.h"

// Tables of what a field of the spec does in an object.
namespace mc::test {

struct Case {
  const char* name;
  std::function<void(api::Spec&)> change;
  std::string where;  // JSON pointer into the object
  json expected;      // null: nothing there
};

// Each case on a cluster of its own; `render` makes the object of it.
inline void check(const std::vector<Case>& cases,
                  const std::function<json(const api::MiniCluster&)>& render) {
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    api::MiniCluster spec = cluster();
    c.change(spec.spec);
    const json object = render(spec);
    const json::json_pointer where(c.where);
    EXPECT_EQ(object.contains(where) ? object.at(where) : json(), c.expected);
  }
}

// The entry of a list with this name; null where there is none.
inline json by_name(const json& list, const std::string& name) {
  for (const json& entry : list) {
    if (entry.at("name") == name) return entry;
  }
  return nullptr;
}

}  // namespace mc::test
