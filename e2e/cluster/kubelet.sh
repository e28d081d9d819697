#!/usr/bin/env bash
# Usage: kubelet.sh DIR [OPTION...]
# In the namespaces of the cluster in DIR: replaces the kubelet by one with these options in
# addition to its own. The pods stay. Returns once it is healthy; it writes the node's status later.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/support/processes.sh
. "$here/../../tests/support/processes.sh"
dir=${1:?usage: kubelet.sh DIR [OPTION...]}
shift
options=("$@")
kubelet=$("$here/../../tests/control_plane/build.sh" kubelet)

start_kubelet() {
  start kubelet "$kubelet" --config "$dir/kubelet.yaml" --kubeconfig "$dir/kubelet.kubeconfig" \
    --hostname-override node0 --node-ip 10.200.0.1 "${options[@]}"
}
kubelet_healthy() {
  ! running kubelet || curl -sf --noproxy "*" -m 1 -o /dev/null http://127.0.0.1:10248/healthz
}

stop kubelet
rm -f /var/lib/kubelet/cpu_manager_state # a kubelet with another policy refuses it
bring kubelet 300 kubelet_healthy
