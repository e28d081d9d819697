#include "services/kubectl-minicluster/view/troubles.h"

#include <gtest/gtest.h>

namespace mc::kubectl {
namespace {

json warning(const char* kind, const char* name, const char* message) {
  return {{"type", "Warning"},
          {"reason", "R"},
          {"message", message},
          {"lastTimestamp", "2026-01-01T12:00:00Z"},
          {"involvedObject", {{"kind", kind}, {"name", name}}}};
}

const json kLammps = {
    {"metadata", {{"name", "lammps"}, {"creationTimestamp", "2026-01-01T11:00:00Z"}}}};

TEST(Warnings, ThatDifferOnlyInNamesOfPodsAreEqual) {
  const struct {
    const char *message, *expected;
  } cases[] = {
      {"", ""},
      {"no pod", "no pod"},
      {"lammps-1-abcde", "lammps-..."},
      {"pods \"lammps-12-abcde\" is forbidden: quota", "pods \"lammps-...\" is forbidden: quota"},
      {"container lammps in pod lammps-0-abcde_default(6f0b3c1e-1a2b) failed",
       "container lammps in pod lammps-... failed"},
      {"lammps-0-abcde_default(6f0b and no more", "lammps-..._default(6f0b and no more"},
      {"lammps-0-abcde, lammps-1-fghij", "lammps-..., lammps-..."},
      {"pod my-lammps-0-abcde", "pod my-lammps-0-abcde"},
      {"pod lammps-0-abcdef", "pod lammps-0-abcdef"},
      {"pod lammps-0", "pod lammps-0"},
      {"pod lammps-x-abcde", "pod lammps-x-abcde"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(without_pod_names(c.message, "lammps"), c.expected) << c.message;
  }
}

TEST(Warnings, AreOneWithTheirNumberIfTheySayTheSame) {
  const auto seven_of = [](bool own_object) {
    std::vector<json> out;
    for (char last = 'a'; last < 'h'; ++last) {
      const std::string pod = std::string("lammps-1-aaaa") + last;
      out.push_back(warning(own_object ? "Pod" : "Job", own_object ? pod.c_str() : "lammps",
                            ("pods \"" + pod + "\" is forbidden").c_str()));
    }
    return out;
  };
  for (const bool own_object : {true, false}) {
    const std::vector<Warning> found = warnings_of(seven_of(own_object), kLammps, {});
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].times, 7U);
    EXPECT_EQ(found[0].others, own_object ? 6U : 0U);
    EXPECT_EQ(found[0].message, "pods \"lammps-1-aaaaa\" is forbidden");
  }
  EXPECT_EQ(
      warnings_of({warning("Pod", "lammps-1-aaaaa", "a"), warning("Pod", "lammps-1-aaaaa", "b")},
                  kLammps, {})
          .size(),
      2U);
}

}  // namespace
}  // namespace mc::kubectl
