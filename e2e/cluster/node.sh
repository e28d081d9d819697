#!/usr/bin/env bash
# Usage: node.sh DIR KUBE-SCHEDULER KUBELET KUBE-PROXY COREDNS
# The first process of the namespaces that cluster.sh creates: starts the cluster, touches
# DIR/ready, then only reaps orphans. If a program of the cluster does not start, it ends, and with
# it the cluster.
set -euo pipefail

cluster=$1 kube_scheduler=$2 kubelet=$3 kube_proxy=$4 coredns=$5 number=0
# shellcheck source=e2e/cluster/machine.sh
. "$(dirname "$0")/machine.sh"

# The kernel may lack the dummy link type; a bridge carries an address, and workers join it.
make_network() {
  hostname "$node_name"
  ip link add machines type bridge
  set_addresses machines
  local rules
  for rules in /proc/sys/net/bridge/bridge-nf-call-ip{,6}tables; do  # otherwise a pod gets no answer
    [ ! -e "$rules" ] || echo 1 >"$rules"                            # from a Service whose pod is on
  done                                                               # its bridge
}

start_kube_scheduler() {
  start kube-scheduler "$kube_scheduler" --kubeconfig "$plane/kubeconfig" --leader-elect=false \
    --secure-port 0 --feature-gates "${MINICLUSTER_TEST_FEATURE_GATES-}"
}

start_coredns() { start coredns "$coredns" -conf "$dir/Corefile"; }
name_resolves() {
  ! running coredns || [ -n "$(resolve kubernetes.default.svc.cluster.local)" ]
}
resolve() { curl -s --noproxy "*" -m 2 "http://127.0.0.1:8181/ready"; }

started() { true; }

make_mounts
make_network
make_cgroups
fill containerd.toml kubelet.yaml Corefile resolv.conf cni/bridge.conflist dns.yaml
bring containerd 300 containerd_ready
"$here/../../tests/control_plane/control-plane.sh" up "$plane" "$node_address" \
  "$(of_each services)"
as kubelet "/O=system:nodes/CN=system:node:$node_name"
as kube-proxy /CN=system:kube-proxy
bring kube-scheduler 10 started
bring kubelet 600 node_ready
bring kube-proxy 300 service_answers
kubectl apply -f "$dir/dns.yaml" >/dev/null
bring coredns 300 name_resolves
touch "$dir/ready"
while :; do sleep infinity & wait; done
