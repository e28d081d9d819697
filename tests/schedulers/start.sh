# For control-plane.sh, which sources it: starts the scheduler MINICLUSTER_TEST_SCHEDULER (its kind,
# as build.sh has it) beside kube-scheduler, with its objects' controller. Neither serves a port. $dir is
# the folder of the control plane.
# shellcheck shell=bash disable=SC2154
schedulers=$(cd "${BASH_SOURCE[0]%/*}" && pwd)

start_gang_scheduler() {
  local kind=$1 built
  built=$("$schedulers/build.sh" "$kind")
  administer apply --server-side -f "$built/crds"
  until_true 300 administer wait --for=condition=Established -f "$built/crds" --timeout=20s ||
    die "the API server does not serve $built/crds"
  running gang-scheduler || "start_$kind" "$built"
}

stop_gang_scheduler() {
  stop gang-scheduler
  stop gang-controller
}

administer() {
  env "HOME=$dir/home" "$dir/kubectl" --kubeconfig "$dir/kubeconfig" "$@" >>"$dir/logs/crds.log" 2>&1
}

# A pod that was refused because of its group is tried again when another pod is created or a PodGroup
# changes, but not when a node gets room. Then it waits for the limit below, which is five minutes by
# default, and which the scheduler looks at twice a minute.
start_coscheduling() {
  sed "s|KUBECONFIG|$dir/kubeconfig|" "$schedulers/coscheduling.yaml" >"$dir/coscheduling.yaml"
  start gang-controller env "KUBECONFIG=$dir/kubeconfig" "$1/controller" --metricsAddr 0 \
    --probeAddr 0 --qps 300 --burst 500
  start gang-scheduler "$1/scheduler" --config "$dir/coscheduling.yaml" --secure-port 0 \
    --pod-max-in-unschedulable-pods-duration 10s
}

# Of its controllers, those for pods that it schedules: queues and the PodGroups of pods without one.
start_volcano() {
  start gang-controller "$1/controller" --kubeconfig "$dir/kubeconfig" --leader-elect=false \
    --controllers=+queue-controller,+pg-controller,+hypernode-controller
  start gang-scheduler "$1/scheduler" --kubeconfig "$dir/kubeconfig" --leader-elect=false \
    --scheduler-conf "$schedulers/volcano.yaml" --cache-dumper=false
}
