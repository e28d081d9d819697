#include "tests/services/controller/tenant.h"

#include <utility>

#include "common/api/model/conditions.h"
#include "common/api/model/names.h"
#include "common/base/json.h"

namespace mc::controller::test {
namespace {

// An end needs two: the status, then the deletions after it; a recreated Job needs two more.
constexpr int kMostReconciles = 6;

}  // namespace

Tenant::Tenant(std::uint64_t seed, unsigned number, bool with_limits, Timeline& timeline,
               SimulatedQueueing& queueing, QuotaInvariants& quota, std::function<void()> meanwhile)
    : world(seed, timeline, number),
      watches(world, world.ns() + "/" + kName, queueing.caches),
      actors(world, with_limits),
      invariants(world, queueing.caches),
      key_(world.ns() + "/" + kName),
      queueing_(queueing),
      quota_(quota) {
  world.on_gap = [this](std::string_view kind) { watches.relist(kind); };
  world.meanwhile = [this, meanwhile = std::move(meanwhile)] {
    if (world.chance(50)) actors.act();
    watches.deliver_some();
    meanwhile();
  };
  watches.on_change = [this](const std::string& owner) { queueing_.changed(key_, owner); };
  queueing_.follow(key_, [this] { watches.due = true; });
  quota_.follow({key_, &world, &queueing_.caches, &invariants});
}

void Tenant::step() {
  world.pass_time(std::chrono::seconds(1 + world.pick(20)));
  world.unreliable = world.chance(50);
  const std::size_t what = world.pick(100);
  if (what < 50) {
    actors.act();
  } else if (what < 70) {
    watches.deliver_some();
  } else if (what < 73) {
    watches.relist_one();
  } else if (is_due()) {
    reconcile_once();
  }
  world.unreliable = false;
}

void Tenant::reconcile() {
  if (!reconciles_ && queueing_.ready()) reconcile_once();
}

bool Tenant::is_due() const {
  if (!queueing_.ready()) return false;
  return watches.due || (again_at_ && *again_at_ <= world.clock().now());
}

// As Controller does: a failed reconcile is retried.
void Tenant::reconcile_once() {
  watches.due = false;
  reconciles_ = true;
  world.note("reconcile");
  invariants.begin_reconcile();
  quota_.begin_reconcile(key_);
  ReconcileContext context = reconciler_.context(queueing_.caches);
  context.quota = [this](const std::string& key) { return quota_.told(key); };
  const auto done = controller::reconcile(context, key_);
  reconciles_ = false;
  queueing_.changed(key_, "");
  quota_.end_reconcile(key_, done.has_value());
  watches.due = watches.due || !done;
  again_at_.reset();
  if (done && *done) again_at_ = world.clock().now() + **done;
}

void Tenant::work_off() {
  actors.settle();
  watches.deliver_all();
  int reconciles = 0;
  for (std::uint64_t before = 0; is_due() && before != world.version(); ++reconciles) {
    before = world.version();
    world.pass_time(std::chrono::seconds(1));
    reconcile_once();
    watches.deliver_all();
  }
  if (reconciles > kMostReconciles)
    invariants.blame("at rest: " + std::to_string(reconciles) + " reconciles");
}

void Tenant::look_at_rest() {
  invariants.look();
  if (invariants.faults().empty()) invariants.look_at_rest(queueing_.reservation(key_));
  if (!invariants.faults().empty()) return;
  const std::uint64_t before = world.version();
  const std::size_t requests = world.requests();
  reconcile_once();
  if (world.version() != before) invariants.blame("at rest: a write without need");
  if (world.requests() != requests && !invariants.has_obstacle()) {
    invariants.blame("at rest: a request without need");
  }
}

}  // namespace mc::controller::test
