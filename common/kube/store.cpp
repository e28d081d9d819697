#include "common/kube/store.h"

namespace mc::kube {

template class Store<json>;

}  // namespace mc::kube
