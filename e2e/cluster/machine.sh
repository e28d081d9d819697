# One machine of the cluster: a node's containerd, kubelet and kube-proxy, in namespaces of its own;
# sourced. $cluster is the folder of the cluster, $number that of the machine: 0 has the control
# plane (node.sh), others are workers (worker.sh). $dir is the machine's own folder, with pids/ and
# logs/.
# shellcheck shell=bash disable=SC2154
# shellcheck source=tests/support/processes.sh
. "${BASH_SOURCE[0]%/*}/../../tests/support/processes.sh"

here=$(cd "${BASH_SOURCE[0]%/*}" && pwd)
plane=$cluster/control-plane
node_name=node$number
dir=$cluster
[ "$number" = 0 ] || dir=$cluster/$node_name
cgroups=${dir//\//-}
last_machine=3

# ipv4, ipv6 or dual; the first family is that of the Services.
network=$(cat "$cluster/network" 2>/dev/null || echo ipv4)
case $network in
  ipv4) families=(4) ;;
  ipv6) families=(6) ;;
  dual) families=(4 6) ;;
  *) die "no network $network" ;;
esac

# Clusters of different sites have different addresses.
site=$(cat "$cluster/site" 2>/dev/null || echo 0)
net() { echo "10.$(($1 + site))"; }
net6() { echo "fd$(printf %02d "$site"):$1"; }

# address_of NUMBER FAMILY, and pods_of: those of a machine.
address_of() {
  case $2 in
    4) echo "$(net 200).0.$(($1 + 1))" ;;
    6) echo "$(net6 200)::$(($1 + 1))" ;;
  esac
}
pods_of() {
  case $2 in
    4) echo "$(net 244).$1.0/24" ;;
    6) echo "$(net6 244):0:$1::/64" ;;
  esac
}
all_pods() { case $1 in 4) echo "$(net 244).0.0/16" ;; 6) echo "$(net6 244)::/48" ;; esac; }
services() { case $1 in 4) echo "$(net 96).0.0/16" ;; 6) echo "$(net6 96)::/112" ;; esac; }
api_service() { case $1 in 4) echo "$(net 96).0.1" ;; 6) echo "[$(net6 96)::1]" ;; esac; }
dns_service() { case $1 in 4) echo "$(net 96).0.10" ;; 6) echo "$(net6 96)::10" ;; esac; }

# of_each FUNCTION [ARGUMENT...]: what it prints for each family, with commas.
of_each() {
  local family out=()
  for family in "${families[@]}"; do out+=("$("$@" "$family")"); done
  (IFS=, && echo "${out[*]}")
}

node_address=$(address_of "$number" "${families[0]}")

# set_addresses LINK: the machine's own, the way to the first machine, and that to the pods of the
# others, whether these run yet or not.
set_addresses() {
  local link=$1 family other
  local -A options=([4]=/24 [6]='/64 nodad')
  sysctl -qw net.ipv4.ip_forward=1 net.ipv6.conf.all.forwarding=1
  ip link set lo up
  for family in "${families[@]}"; do
    # shellcheck disable=SC2086 # words
    ip address add "$(address_of "$number" "$family")"${options[$family]} dev "$link"
  done
  ip link set "$link" up
  for family in "${families[@]}"; do
    if [ "$number" = 0 ]; then
      ip "-$family" route add default dev "$link"
    else
      ip "-$family" route add default via "$(address_of 0 "$family")"
    fi
    for other in $(seq 0 "$last_machine"); do
      [ "$other" = "$number" ] ||
        ip "-$family" route add "$(pods_of "$other" "$family")" via "$(address_of "$other" "$family")"
    done
  done
}

# Every program uses its default folders, which are this machine's.
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

# The kubelet's own folder in each hierarchy.
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
# Those of its workers too.
remove_cgroups() {
  local top
  for top in /sys/fs/cgroup/{,*/}"$cgroups"{,-node[1-9]}; do
    [ ! -d "$top" ] || find "$top" -depth -type d -exec rmdir {} + 2>/dev/null || true
  done
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

# The addresses of the machine's pods, as the plugin host-local takes them.
ranges() { echo "[{\"subnet\": \"$(pods_of "$number" "$1")\"}]"; }
routes() { case $1 in 4) echo '{"dst": "0.0.0.0/0"}' ;; 6) echo '{"dst": "::/0"}' ;; esac; }

# fill FILE...: copies files of this folder to DIR, with their ${NAMES} replaced.
fill() {
  local file any=0.0.0.0
  [ "$network" = ipv4 ] || any=::
  mkdir -p "$dir/cni"
  for file in "$@"; do
    sed -e "s|\${dir}|$dir|g; s|\${plane}|$plane|g; s|\${cgroups}|/$cgroups|g" \
      -e "s|\${node}|$node_address|g; s|\${dns}|$(dns_service "${families[0]}")|g; s|\${any}|$any|g" \
      -e "s|\${ranges}|$(of_each ranges)|g; s|\${routes}|$(of_each routes)|g" \
      -e "s|\${family}|${families[0]}|g" \
      "$here/$file" >"$dir/$file"
  done
}

# --- its namespaces -----------------------------------------------------------------------------

# start_machine COMMAND...: the first process of new namespaces, in which the kernel ends every
# process with it. first_process sets its pid.
start_machine() {
  start machine unshare --net --mount --uts --pid --fork --kill-child --mount-proc "$@"
}
first_process() {  # the only child of unshare, which waits for it
  local unshare _
  read -r unshare _ <"$dir/pids/machine"
  first=$(cat "/proc/$unshare/task/$unshare/children" 2>/dev/null)
  first=${first%% *}
  [ -n "$first" ]
}

# inside COMMAND...
inside() {
  running machine || die "$node_name does not run in $cluster"
  first_process || die "$node_name is ending"
  nsenter --target "$first" --net --mount --uts --pid --wdns="$PWD" "$@"
}

# load ARCHIVE...: copies images (docker archives) to the node, whose pods cannot pull.
load() {
  local archive
  for archive in "$@"; do
    inside ctr --namespace k8s.io images import --no-unpack "$archive" >/dev/null
  done
}

# await FILE: until the machine has written it.
await() {
  until_true 1800 came_or_ended "$1" || true
  [ -e "$dir/$1" ] || {
    tail -n 30 "$dir/logs/machine.log" >&2
    die "$node_name did not become ready; above is the end of its log"
  }
}
came_or_ended() { [ -e "$dir/$1" ] || ! running machine; }

end_machine() {
  running machine || return 0
  local first=''
  first_process || true
  signal KILL machine
  until_true 300 all_ended "$first" || die "$node_name does not end; $dir is left as it is"
}
all_ended() { stopped machine && { [ -z "$1" ] || [ ! -e "/proc/$1" ]; }; }

# --- its programs -------------------------------------------------------------------------------

containerd=containerd
start_containerd() { start containerd "$containerd" --config "$dir/containerd.toml"; }
containerd_ready() { ! running containerd || ctr version >/dev/null 2>&1; }

kubelet_options=()
start_kubelet() {
  start kubelet "$kubelet" --config "$dir/kubelet.yaml" --kubeconfig "$dir/kubelet.kubeconfig" \
    --hostname-override "$node_name" --node-ip "$(of_each address_of "$number")" "${kubelet_options[@]}"
}
node_ready() {
  ! running kubelet ||
    kubectl wait --for=condition=Ready "node/$node_name" --timeout=1s >/dev/null 2>&1
}

start_kube_proxy() {
  start kube-proxy "$kube_proxy" --kubeconfig "$dir/kube-proxy.kubeconfig" --proxy-mode iptables \
    --hostname-override "$node_name" --cluster-cidr "$(of_each all_pods)" --conntrack-max-per-core 0 \
    --iptables-min-sync-period 100ms
}
service_answers() {
  ! running kube-proxy ||
    curl -sk --noproxy "*" -m 1 -o /dev/null "https://$(api_service "${families[0]}")/readyz"
}
