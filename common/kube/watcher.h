#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "common/base/fields.h"
#include "common/base/result.h"
#include "common/kube/object.h"
#include "common/kube/request.h"

namespace mc::kube {

// The events of a watcher. A list is Restarted, Listed..., Synced; an object that is not Listed
// again is gone.
struct Restarted {};
struct Listed {
  Object object;
};
struct Synced {
  // The version of the list, from which a watch continues.
  std::string version = {};
};
struct Applied {  // created or changed
  Object object;
};
struct Deleted {  // its last state
  Object object;
};
struct Repeated {  // an object that is stored as it was sent
  std::string version;
};
using WatchEvent = std::variant<Restarted, Listed, Synced, Applied, Deleted, Repeated>;

// What to watch.
struct Scope {
  Resource resource;
  std::string ns = {};  // empty: all namespaces
  std::string label_selector = {};
  std::string field_selector = {};
  bool metadata_only = false;
  Fields fields = kAllFields;  // what is read of its objects
  // False: the API server keeps no watch cache of the resource, so a watch has no bookmarks, such
  // as one of Events.
  bool has_bookmarks = true;
};

// Follows the objects of a scope: a state machine without socket, thread or clock. The caller sends
// next(), passes the answer in, and decides how long to wait after an error.
//
//   Empty ----page, more to come----> Listing ----last page----> Watching <--+ line; end of stream;
//     |                                  |  ^ +-- page; failure     |     |  | failure
//     +------------only page-------------|--|-----------------------^     +--+
//     ^------ Gone, malformed page ------+  |
//     ^------ Gone (410), malformed line ---|-----------------------+
class Watcher {
 public:
  explicit Watcher(Scope scope) : scope_(std::move(scope)) {}

  // The next request: a page of a list, or a watch.
  Request next() const;
  // Whether next() is a watch. Its answer goes line by line to line(); its end need not be
  // reported: the next watch continues from the last version seen.
  bool watching() const { return std::holds_alternative<Watching>(state_); }
  // Whether next() is the first page of a list.
  bool begins_list() const { return std::holds_alternative<Empty>(state_); }

  // Takes the body of a page. Malformed: the list starts over.
  [[nodiscard]] Result<std::vector<WatchEvent>> page(std::string_view body);

  // Takes a line of a watch; nullopt for a bookmark, which only advances the version. Of an object
  // that `is_known`, which most are that we have written ourselves, only the metadata is read.
  // After an error the rest of the stream must be dropped: Gone (the version is too old) and
  // Malformed start a new list, other errors of the API server a new watch.
  [[nodiscard]] Result<std::optional<WatchEvent>> line(std::string_view line,
                                                       const IsKnown& is_known = {});

  // A page or a watch was refused or cut. Gone starts a new list, and so does a watch whose answer
  // is Malformed; after any other error the same request is next.
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
  [[nodiscard]] Result<std::optional<WatchEvent>> event_of_line(json line, bool is_known);

  Scope scope_;
  std::variant<Empty, Listing, Watching> state_;
};

}  // namespace mc::kube
