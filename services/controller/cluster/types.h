#pragma once
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

// What the controller watches, as structs with exactly the fields in use (read.h). An absent text
// is "". Texts that anybody may write are at most 1 KiB long.
namespace mc::controller {

// An object as a cache holds it; it never changes.
template <class T>
using Shared = std::shared_ptr<const T>;

// UTC, to the second.
using Time = std::chrono::sys_seconds;

// The owner reference with controller: true, of which an object has at most one; empty: none.
struct Owner {
  std::string kind, name, uid;
};

struct Metadata {
  std::string name;
  std::string ns;  // "" of a cluster-scoped object
  std::string uid;
  std::uint64_t version = 0;  // the number that resourceVersion is; 0: it is none
  Owner owner;
};

// "namespace/name" of the owner, if it is of this kind; otherwise "".
std::string owner_key(const Metadata& object, std::string_view kind);

// An Event, with the object that it is about as owner.
struct Event {
  Metadata metadata;
  std::string message;
  std::optional<Time> time;  // of the last occurrence
};

// Kueue's object for a Job, which is its owner.
struct Workload {
  Metadata metadata;
  // Why Kueue holds the Job: a CamelCase word, and a sentence on one line. "" unless a Job owns it.
  std::string reason, message;
};

struct Namespace {
  Metadata metadata;
  std::map<std::string, std::string> labels;
};

struct PriorityClass {
  Metadata metadata;
  std::int32_t value = 0;
};

}  // namespace mc::controller
