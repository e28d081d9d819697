#pragma once
#include <string>
#include <vector>

#include "tests/support/kubectl.h"

namespace mc::e2e {

// Further machines of the cluster, as e2e/cluster/worker.sh makes them: node1, node2, and so on up
// to `count`. Their nodes are ready and have the images `names` of e2e/images, or of archives:
// absolute paths without `.tar`. They end with it, and their Node objects with them.
class Workers {
 public:
  Workers(const test::Kubectl& kubectl, int count, const std::vector<std::string>& names);
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  // `node` is the name of one of them. See worker.sh for what these do.
  void cut(const std::string& node) const { must("cut", node); }
  void join(const std::string& node) const { must("join", node); }
  void freeze(const std::string& node) const { must("freeze", node); }
  void thaw(const std::string& node) const { must("thaw", node); }

 private:
  [[nodiscard]] std::vector<std::string> command(const std::string& verb,
                                                 const std::string& node) const;
  void must(const std::string& verb, const std::string& node) const;

  const std::string cluster_;  // its folder
  const int count_;
};

}  // namespace mc::e2e
