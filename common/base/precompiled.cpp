#include "common/base/precompiled.h"

template class nlohmann::basic_json<>;
