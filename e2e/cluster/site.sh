#!/usr/bin/env bash
# Usage: site.sh up DIR [ARCHIVE...] | cut DIR | join DIR | down DIR
# A second cluster, of another site, for the cluster in DIR: with other addresses and a network of its
# own, joined to the first one's node by one link with NAT, as a provider's network is. It has the
# operator (operator.sh, with the programs of build/ci) and is in DIR/site1. Run it in the namespaces
# of the cluster (cluster.sh exec), with which it ends.
#   up    returns once the operator answers and the node has these images
#   cut   pulls the cable of the link, join puts it back
#   down  ends it
set -euo pipefail

[ $# = 2 ] || { [ $# -gt 2 ] && [ "$1" = up ]; } || {
  sed -n '2s/^# //p' "$0" >&2
  exit 2
}
command=$1
cluster=$(realpath -m "$2")/site1 number=0
shift 2
# shellcheck source=e2e/cluster/machine.sh
. "$(dirname "$0")/machine.sh"
link=to-site1 # its end here
here_address=10.199.0.1 there_address=10.199.0.2

plug() {
  ip link set "$link" up
  ip route replace 10.201.0.0/24 via "$there_address"
}

lay_link() {
  first_process || die "the other cluster does not run"
  ip link add "$link" type veth peer name to-site0 netns "$first"
  ip address add "$here_address/30" dev "$link"
  inside ip address add "$there_address/30" dev to-site0
  inside ip link set to-site0 up
  plug
  inside ip route add 10.200.0.0/24 via "$here_address"
  inside iptables -t nat -A POSTROUTING -o to-site0 -j MASQUERADE
}

up() {
  MINICLUSTER_E2E_SITE=1 "$here/cluster.sh" up "$cluster"
  lay_link
  load "$@"
  inside "$here/operator.sh" "$cluster" "$here/../../build/ci/bin"
}

case $command in
  up) up "$@" ;;
  cut) ip link set "$link" down ;;
  join) plug ;;
  down) "$here/cluster.sh" down "$cluster" ;;
  *) die "no command $command" ;;
esac
