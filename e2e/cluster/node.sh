#!/usr/bin/env bash
# Usage: node.sh DIR KUBE-SCHEDULER KUBELET KUBE-PROXY COREDNS
# The first process of the namespaces that cluster.sh creates: starts the cluster, touches
# DIR/ready, then only reaps orphans. If a program of the cluster does not start, it ends, and with
# it the cluster.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/support/processes.sh
. "$here/../../tests/support/processes.sh"
dir=$1 kube_scheduler=$2 kubelet=$3 kube_proxy=$4 coredns=$5
plane=$dir/control-plane
cgroups=${dir//\//-}
node_name=node0
node_address=10.200.0.1
dns_address=10.96.0.10
pods=10.244.0.0/24

# Every program uses its default folders, which are this cluster's and not the machine's.
make_mounts() {
  mount --make-rshared /
  mount -t tmpfs -o mode=0755 tmpfs /run
  mkdir /run/lock
  local folder
  for folder in /var/lib/kubelet /var/lib/containerd /var/lib/cni /var/log; do
    mkdir -p "$folder" "$dir$folder"
    mount --bind "$dir$folder" "$folder"
  done
}

# The kernel may lack the dummy link type; a bridge without ports also carries an address.
make_network() {
  ip link set lo up
  ip link add node0 type bridge
  ip address add "$node_address/24" dev node0
  ip link set node0 up
  ip route add default dev node0
  sysctl -qw net.ipv4.ip_forward=1
  local rules=/proc/sys/net/bridge/bridge-nf-call-iptables  # otherwise a pod gets no answer from a
  [ ! -e "$rules" ] || echo 1 >"$rules"                     # Service whose pod is on its bridge
}

# as NAME SUBJECT: NAME.kubeconfig for that user, with a certificate of the control plane's CA.
as() {
  sign "$plane/ca" "$dir/$1" "$2" extendedKeyUsage=clientAuth
  kubectl config view --raw --flatten -o json |
    jq --arg certificate "$(base64 -w0 "$dir/$1.crt")" --arg key "$(base64 -w0 "$dir/$1.key")" \
      '.users[0].user = {"client-certificate-data": $certificate, "client-key-data": $key}' \
      >"$dir/$1.kubeconfig"
}

kubectl() { HOME=$plane/home "$plane/kubectl" --kubeconfig "$plane/kubeconfig" "$@"; }

# fill FILE: copies a file of this folder to DIR, with its ${NAMES} replaced.
fill() {
  sed -e "s|\${dir}|$dir|g; s|\${cgroups}|/$cgroups|g; s|\${node}|$node_address|g" \
    -e "s|\${dns}|$dns_address|g; s|\${pods}|$pods|g" "$here/$1" >"$dir/$1"
}

start_containerd() { start containerd containerd --config "$dir/containerd.toml"; }
containerd_ready() { ! running containerd || ctr version >/dev/null 2>&1; }

start_kubelet() {
  start kubelet "$kubelet" --config "$dir/kubelet.yaml" --kubeconfig "$dir/kubelet.kubeconfig" \
    --hostname-override "$node_name" --node-ip "$node_address"
}
node_ready() {
  ! running kubelet ||
    kubectl wait --for=condition=Ready "node/$node_name" --timeout=1s >/dev/null 2>&1
}

start_kube_scheduler() {
  start kube-scheduler "$kube_scheduler" --kubeconfig "$plane/kubeconfig" --leader-elect=false \
    --secure-port 0
}
start_kube_proxy() {
  start kube-proxy "$kube_proxy" --kubeconfig "$dir/kube-proxy.kubeconfig" --proxy-mode iptables \
    --hostname-override "$node_name" --cluster-cidr "$pods" --conntrack-max-per-core 0 \
    --iptables-min-sync-period 100ms
}
service_answers() {
  ! running kube-proxy ||
    curl -sk --noproxy "*" -m 1 -o /dev/null "https://10.96.0.1/readyz"
}

start_coredns() { start coredns "$coredns" -conf "$dir/Corefile"; }
name_resolves() {
  ! running coredns || [ -n "$(resolve kubernetes.default.svc.cluster.local)" ]
}
resolve() { curl -s --noproxy "*" -m 2 "http://127.0.0.1:8181/ready"; }

# The kubelet's own folder in each hierarchy; cluster.sh removes them.
make_cgroups() {
  local top
  if [ -e /sys/fs/cgroup/cgroup.controllers ]; then
    mkdir -p "/sys/fs/cgroup/$cgroups"
    return
  fi
  for top in /sys/fs/cgroup/*/; do
    [ ! -e "$top/cgroup.procs" ] || mkdir -p "$top/$cgroups"
  done
}

started() { true; }

make_mounts
make_network
make_cgroups
mkdir -p "$dir/cni"
for file in containerd.toml kubelet.yaml Corefile resolv.conf cni/bridge.conflist dns.yaml; do
  fill "$file"
done
bring containerd 300 containerd_ready
"$here/../../tests/control_plane/control-plane.sh" up "$plane" "$node_address"
as kubelet "/O=system:nodes/CN=system:node:$node_name"
as kube-proxy /CN=system:kube-proxy
bring kube-scheduler 10 started
bring kubelet 600 node_ready
bring kube-proxy 300 service_answers
kubectl apply -f "$dir/dns.yaml" >/dev/null
bring coredns 300 name_resolves
touch "$dir/ready"
while :; do sleep infinity & wait; done
