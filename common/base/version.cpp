#include "common/base/version.h"

namespace mc {

std::string version() { return MINICLUSTER_VERSION; }

}  // namespace mc
