#!/usr/bin/env bash
# Usage: cluster.sh up DIR | load DIR ARCHIVE... | exec DIR COMMAND... | down DIR
# A Kubernetes cluster with one real node (control plane, containerd, kubelet, kube-proxy, CoreDNS)
# in its own network, mount and PID namespaces: it cannot reach the outside, and it ends with its
# first process (node.sh). Needs root. DIR should be short, because it is part of socket paths.
#   up    takes an empty or missing folder; returns once the node is ready and DNS answers
#   load  copies images (docker archives) to the node, whose pods cannot pull
#   exec  runs a command in the namespaces; the cluster cannot be reached from outside
#   down  stops everything that `up` started and removes DIR
# In DIR: control-plane/ (see tests/control_plane/control-plane.sh; its kubeconfig is the
# administrator's) and logs/.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/support/processes.sh
. "$here/../../tests/support/processes.sh"
marker=.cluster

usage() {
  echo "usage: cluster.sh up DIR | load DIR ARCHIVE... | exec DIR COMMAND... | down DIR" >&2
  exit 2
}

# The pid of node.sh in this namespace: the only child of unshare, which waits for it.
first_process() {
  local unshare _
  read -r unshare _ <"$dir/pids/node"
  first=$(cat "/proc/$unshare/task/$unshare/children" 2>/dev/null)
  first=${first%% *}
  [ -n "$first" ]
}

# inside COMMAND...
inside() {
  running node || die "no cluster runs in $dir"
  first_process || die "the cluster in $dir is ending"
  nsenter --target "$first" --net --mount --pid --wdns="$PWD" "$@"
}

node_came_or_ended() { [ -e "$dir/ready" ] || ! running node; }

up() {
  [ ! -e "$dir" ] || [ -z "$(ls -A "$dir")" ] || die "$dir is not empty"
  mapfile -t programs < <("$here/../../tests/control_plane/build.sh" node)
  [ "${#programs[@]}" = 4 ] || die "the programs of the node cannot be had"
  mkdir -p "$dir/logs" "$dir/pids"
  touch "$dir/$marker"
  undo_if_failed down
  start node unshare --net --mount --pid --fork --kill-child --mount-proc \
    "$here/node.sh" "$dir" "${programs[@]}"
  until_true 1800 node_came_or_ended || true
  [ -e "$dir/ready" ] || {
    tail -n 30 "$dir/logs/node.log" >&2
    die "the node did not become ready; above is the end of its log"
  }
}

load() {
  local archive
  for archive in "$@"; do
    inside ctr --namespace k8s.io images import --no-unpack "$archive" >/dev/null
  done
}

down() {
  [ -d "$dir" ] || return 0
  [ -e "$dir/$marker" ] || die "$dir is not the folder of a cluster; nothing done"
  end_node
  remove_cgroups
  rm -rf "$dir"
}

# With the first process, the kernel ends every process of the namespaces.
end_node() {
  running node || return 0
  local first=''
  first_process || true
  signal KILL node
  until_true 300 all_ended "$first" || die "the cluster does not end; $dir is left as it is"
}
all_ended() { stopped node && { [ -z "$1" ] || [ ! -e "/proc/$1" ]; }; }

# The kubelet's cgroups, in the cluster's folder of each hierarchy.
remove_cgroups() {
  local top
  for top in /sys/fs/cgroup/"${dir//\//-}" /sys/fs/cgroup/*/"${dir//\//-}"; do
    [ ! -d "$top" ] || find "$top" -depth -type d -exec rmdir {} + 2>/dev/null || true
  done
}

[ $# -ge 2 ] || usage
command=$1
dir=$(realpath -m "$2")
shift 2
case $command in
  up | down) [ $# = 0 ] || usage ;;
  load | exec) [ $# -ge 1 ] || usage ;;
  *) usage ;;
esac
case $command in
  exec) inside "$@" ;;
  *) "$command" "$@" ;;
esac
