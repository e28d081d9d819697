#!/usr/bin/env bash
# Usage: worker.sh up DIR NUMBER [ARCHIVE...] | cut DIR NUMBER | join DIR NUMBER |
#          freeze DIR NUMBER | thaw DIR NUMBER | kill DIR NUMBER | down DIR NUMBER
# A further machine of the cluster in DIR, NUMBER 1 to 3: a kubelet, containerd and kube-proxy in
# network, mount, PID and UTS namespaces of their own, joined to the others' network. Its node is
# node1 to node3; node3 has containerd 2, the others have Debian's. Run it in the namespaces of the
# cluster (cluster.sh exec), with which it ends.
#   up      returns once the node is ready and has these images
#   cut     pulls the network cable, join puts it back
#   freeze  stops kubelet and containerd as they are (SIGSTOP), thaw lets them go on
#   kill    takes the power away: every process of the machine ends at once; the Node object stays
#   down    kill; removes what is left, the Node object included
# In DIR/nodeNUMBER: logs/ and what the machine stores.
set -euo pipefail

usage() {
  sed -n '2,3s/^# //p' "$0" >&2
  exit 2
}

[ $# = 3 ] || { [ $# -gt 3 ] && [[ $1 == @(up|main) ]]; } || usage
command=$1
cluster=$(realpath -m "$2")
number=$3
shift 3
[[ $number == [1-3] ]] || usage
# shellcheck source=e2e/cluster/machine.sh
. "$(dirname "$0")/machine.sh"
cable=to-$node_name # its end at the first machine

plug_in() {
  ip link add "$cable" type veth peer name cable netns "$first"
  ip link set "$cable" master machines up
}

# --- the machine itself -------------------------------------------------------------------------

cable_is_there() { ip link show cable >/dev/null 2>&1; }

# What the first machine has mounted below its folders is not for this one.
leave_mounts() {
  mount --make-rprivate /
  local folder
  for folder in /run /var/lib/kubelet /var/lib/containerd /var/lib/cni /var/log; do
    umount --recursive --lazy "$folder"
  done
}

make_network() {
  hostname "$node_name"
  until_true 100 cable_is_there || die "the machine has no cable"
  set_addresses cable
}

# The first process of the namespaces.
machine_main() {
  kubelet=$1 kube_proxy=$2 containerd=${3:-containerd}
  [ $# = 2 ] || PATH=${containerd%/*}:$PATH # to its shim
  leave_mounts
  make_mounts
  make_network
  make_cgroups
  fill containerd.toml kubelet.yaml resolv.conf cni/bridge.conflist
  as kubelet "/O=system:nodes/CN=system:node:$node_name"
  as kube-proxy /CN=system:kube-proxy
  bring containerd 300 containerd_ready
  touch "$dir/containerd-ready"
  bring kubelet 600 node_ready
  bring kube-proxy 300 service_answers
  touch "$dir/ready"
  while :; do sleep infinity & wait; done
}

# --- commands -----------------------------------------------------------------------------------

up() {
  [ ! -e "$dir" ] || die "$dir is there already"
  local names=(kubelet kube-proxy)
  [ "$number" != 3 ] || names+=(containerd containerd-shim-runc-v2)
  mapfile -t programs < <("$here/../../tests/control_plane/build.sh" "${names[@]}")
  [ "${#programs[@]}" = "${#names[@]}" ] || die "the programs of a node cannot be had"
  mkdir -p "$dir/logs" "$dir/pids"
  undo_if_failed down
  start_machine "$here/worker.sh" main "$cluster" "$number" "${programs[@]}"
  until_true 50 first_process || die "$node_name did not start"
  plug_in
  await containerd-ready
  load "$@"
  await ready
}

unplug() { ip link set "$cable" down; }
plug() { ip link set "$cable" up; }

# to_programs SIGNAL
to_programs() {
  local name pid
  for name in kubelet containerd; do
    read -r pid _ <"$dir/pids/$name"
    inside kill -s "$1" "$pid"
  done
}
freeze() { to_programs STOP; }
thaw() { to_programs CONT; }

down() {
  [ -d "$dir" ] || return 0
  end_machine
  kubectl delete node "$node_name" --ignore-not-found >/dev/null
  remove_cgroups
  rm -rf "$dir"
}

case $command in
  up) up "$@" ;;
  main) machine_main "$@" ;;
  kill) end_machine ;;
  cut) unplug ;;
  join) plug ;;
  freeze | thaw | down) "$command" ;;
  *) usage ;;
esac
