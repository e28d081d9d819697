#pragma once
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "common/api/model/minicluster.h"
#include "common/base/json.h"
#include "tests/support/clusters.h"

// Tables of the effects of spec fields on rendered objects.
namespace mc::test {

struct Case {
  const char* name;
  std::function<void(api::Spec&)> change;
  std::string where;        // JSON pointer into the object
  json expected = nullptr;  // null: nothing there
};

// Checks each case on a new cluster, from which `render` makes the object.
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

// The entry of a list with this name; null if there is none.
inline json by_name(const json& list, const std::string& name) {
  for (const json& entry : list) {
    if (entry.at("name") == name) return entry;
  }
  return nullptr;
}

}  // namespace mc::test
