#!/usr/bin/env bash
# Usage: cluster.sh up DIR | load DIR ARCHIVE... | exec DIR COMMAND... | down DIR
# A Kubernetes cluster with one real node (control plane, containerd, kubelet, kube-proxy, CoreDNS)
# in its own network, mount and PID namespaces: it cannot reach the outside, and it ends with its
# first process (node.sh). Needs root. DIR should be short, because it is part of socket paths.
#   up    takes an empty or missing folder; returns once the node is ready and DNS answers.
#         MINICLUSTER_E2E_NETWORK is ipv4 (default), ipv6 or dual (IPv4 first). MINICLUSTER_E2E_SITE is
#         0 (default) or 1: clusters of different sites have different addresses.
#   load  copies images (docker archives) to the node, whose pods cannot pull
#   exec  runs a command in the namespaces; the cluster cannot be reached from outside
#   down  stops everything that `up` started and removes DIR
# In DIR: control-plane/ (see tests/control_plane/control-plane.sh; its kubeconfig is the
# administrator's) and logs/.
set -euo pipefail

marker=.cluster

usage() {
  echo "usage: cluster.sh up DIR | load DIR ARCHIVE... | exec DIR COMMAND... | down DIR" >&2
  exit 2
}

up() {
  [ ! -e "$dir" ] || [ -z "$(ls -A "$dir")" ] || die "$dir is not empty"
  mapfile -t programs < <("$here/../../tests/control_plane/build.sh" node)
  [ "${#programs[@]}" = 4 ] || die "the programs of the node cannot be had"
  mkdir -p "$dir/logs" "$dir/pids"
  touch "$dir/$marker"
  echo "${MINICLUSTER_E2E_NETWORK:-ipv4}" >"$dir/network"
  echo "${MINICLUSTER_E2E_SITE:-0}" >"$dir/site"
  undo_if_failed down
  start_machine "$here/node.sh" "$dir" "${programs[@]}"
  await ready
}

down() {
  [ -d "$dir" ] || return 0
  [ -e "$dir/$marker" ] || die "$dir is not the folder of a cluster; nothing done"
  end_machine
  remove_cgroups
  rm -rf "$dir"
}

[ $# -ge 2 ] || usage
command=$1
cluster=$(realpath -m "$2") number=0
shift 2
# shellcheck source=e2e/cluster/machine.sh
. "$(dirname "$0")/machine.sh"
case $command in
  up | down) [ $# = 0 ] || usage ;;
  load | exec) [ $# -ge 1 ] || usage ;;
  *) usage ;;
esac
case $command in
  exec) inside "$@" ;;
  *) "$command" "$@" ;;
esac
