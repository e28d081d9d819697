#pragma once
#include "common/base/json.h"
#include "tests/support/folders.h"

// The cases of tests/crds/cases.json (see run-cases.sh there).
namespace mc::test {

inline json crd_cases() { return json::parse(text_of(source_dir() / "tests/crds/cases.json")); }

// An object of the case `one` of `all`: the whole one, or its base with the patch in `field`.
inline json crd_case_object(const json& all, const json& one, const char* field) {
  if (one.contains("object")) return one["object"];
  json object = all[one.value("base", "base")];
  object.merge_patch(one[field]);
  return object;
}

}  // namespace mc::test
