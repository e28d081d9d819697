#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "common/base/result.h"
#include "common/kube/object.h"
#include "common/kube/request.h"

namespace mc::kube {

// What a watcher tells. A list comes as Restarted, Listed..., Synced; whatever was there before and
// is not Listed again is gone.
struct Restarted {};
struct Listed {
  Object object;
};
struct Synced {
  // Of the list: what it says is of that moment, and a watch goes on from there.
  std::string version = {};
};
struct Applied {  // made or changed
  Object object;
};
struct Deleted {  // as it was last
  Object object;
};
using WatchEvent = std::variant<Restarted, Listed, Synced, Applied, Deleted>;

// What to watch.
struct Scope {
  Resource resource;
  std::string ns = {};  // empty: all namespaces
  std::string label_selector = {};
  std::string field_selector = {};
  bool metadata_only = false;
  // Applied to each object as it is taken in, so that only what is used is kept; must not throw and
  // must keep metadata's name, namespace, uid, resourceVersion and ownerReferences. Empty: keep all
  // (managedFields are dropped always).
  std::function<json(json)> reduce = {};
};

// Keeps up with the objects of a scope: a state machine with no socket, thread or clock in it. The
// caller sends next(), hands in what comes back, and decides how long to wait after an error.
//
//   Empty ----page, more to come----> Listing ----last page----> Watching <--+ line; end of stream;
//     |                                  |  ^ +-- page; failure     |     |  | failure
//     +------------only page-------------|--|-----------------------^     +--+
//     ^------ Gone, malformed page ------+  |
//     ^------ Gone (410), malformed line ---|-----------------------+
class Watcher {
 public:
  explicit Watcher(Scope scope) : scope_(std::move(scope)) {}

  // What to ask the API server now: a page of a list, or a watch.
  Request next() const;
  // next() is a watch, whose answer goes line by line to line(). Its end needs no word: the next
  // one goes on from the last version seen.
  bool watching() const { return std::holds_alternative<Watching>(state_); }

  // Takes the body of a page. Malformed: the list starts anew.
  [[nodiscard]] Result<std::vector<WatchEvent>> page(std::string_view body);

  // Takes a line of a watch; nothing for a bookmark, which only moves the version on. After an
  // error the rest of the stream is of no use: Gone (the version is too old) and Malformed start a
  // new list, the API server's other errors a new watch.
  [[nodiscard]] Result<std::optional<WatchEvent>> line(std::string_view line);

  // A page or a watch was refused, or cut. Gone starts a new list, all else tries the same again.
  void failed(const Error& error);

 private:
  struct Empty {};
  struct Listing {
    std::string continue_token;
  };
  struct Watching {
    std::string resource_version;
  };

  [[nodiscard]] Result<Object> taken_in(json object) const;
  [[nodiscard]] Result<std::vector<WatchEvent>> events_of_page(json list);
  [[nodiscard]] Result<std::optional<WatchEvent>> event_of_line(json line);

  Scope scope_;
  std::variant<Empty, Listing, Watching> state_;
};

}  // namespace mc::kube
