#pragma once
#include "common/base/unread.h"

namespace mc::controller {

// Most of a pod or Job: the members of its spec and status that are not read and that may have many
// values.
Unread unread_of_pod();
Unread unread_of_job();

}  // namespace mc::controller
