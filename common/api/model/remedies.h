#pragma once
#include <span>
#include <string_view>

// What helps if a MiniCluster does not run. `kubectl minicluster explain` prints it, and the tables
// of docs/lifecycle.md and docs/troubleshooting.md have it.
namespace mc::api {

// For one cause of a reason. Texts are written as those of ReasonRow.
struct Remedy {
  std::string_view reason;
  // In which it applies, as `Starting or Failed`; "": in all.
  std::string_view phases;
  // What the condition's message or the lead's log must have, in this order: `...` and NAME stand
  // for anything. "": it applies to any message.
  std::string_view message;
  std::string_view cause;  // what has happened; "": the message says it
  std::string_view remedy;
};

// Of reasons of kReasons.
std::span<const Remedy> remedies();

// Of reasons of Kueue's, which the controller passes on, as Kueue 0.19 gives them.
std::span<const Remedy> remedies_of_kueue();

}  // namespace mc::api
