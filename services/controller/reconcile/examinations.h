#pragma once
#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "common/api/examine.h"
#include "common/base/guarded.h"
#include "common/base/json.h"
#include "services/controller/cluster/observed.h"

namespace mc::controller {

// Examines the stored MiniCluster, with the defaults that it uses (flux_defaults.h), in the words
// of admission. A spec without maxSize gets that of the Job: the size at creation is the upper
// limit, whatever the size is now. An unknown field is never an error: whoever stored the object
// was told, or did not ask. Also chooses the PodGroup (gang.h).
api::Examination examine(const Observed& observed);

// The examinations of the MiniClusters that were examined last, which are those
// that change or run: each is reconciled several times in a row, and its owner rarely writes
// between. Thread safe.
class Examinations {
 public:
  // `gpu_resources`: MiniCluster::more_gpus of each.
  explicit Examinations(std::vector<std::string> gpu_resources = {})
      : gpu_resources_(std::move(gpu_resources)) {}

  // What examine() says; made again only if something has changed that it depends on.
  std::shared_ptr<const api::Examination> of(const Observed& observed);

 private:
  static constexpr std::size_t kMost = 128;

  // Everything that examine() reads, except the sizes of bursted clusters that the Job records:
  // they are as examined for as long as it exists.
  struct Input {
    Opaque written;
    std::string max_size;  // without one in the spec: as the Job records it, or will
    json defaults;         // as they are offered
    GangOffer gang;
    SharedText pod_group;  // as the Job records it
    friend bool operator==(const Input&, const Input&) = default;
  };
  struct Known {
    Input input;
    std::shared_ptr<const api::Examination> result;
  };
  struct State {
    std::unordered_map<std::string, Known> by_uid;
    std::deque<std::string> oldest_first;  // uids
  };

  static Input input_of(const Observed& observed);
  static void keep(State& state, const std::string& uid, Known known);

  const std::vector<std::string> gpu_resources_;
  Guarded<State> state_;
};

}  // namespace mc::controller
