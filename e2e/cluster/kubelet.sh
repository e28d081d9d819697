#!/usr/bin/env bash
# Usage: kubelet.sh DIR [OPTION...]
# In the namespaces of the cluster in DIR: replaces the kubelet by one with these options in
# addition to its own. The pods stay. Returns once it is healthy; it writes the node's status later.
set -euo pipefail

cluster=${1:?usage: kubelet.sh DIR [OPTION...]} number=0
shift
# shellcheck source=e2e/cluster/machine.sh
. "$(dirname "$0")/machine.sh"
kubelet=$("$here/../../tests/control_plane/build.sh" kubelet)
kubelet_options=("$@")

kubelet_healthy() {
  ! running kubelet || curl -sf --noproxy "*" -m 1 -o /dev/null http://127.0.0.1:10248/healthz
}

stop kubelet
rm -f /var/lib/kubelet/cpu_manager_state # a kubelet with another policy refuses it
bring kubelet 300 kubelet_healthy
