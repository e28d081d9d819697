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
dns_address=10.96.0.10
all_pods=10.244.0.0/16
last_machine=3

address_of() { echo "10.200.0.$(($1 + 1))"; }
pods_of() { echo "10.244.$1.0/24"; }
node_address=$(address_of "$number")

# The pods of the other machines, whether these run yet or not.
route_to_others() {
  local other
  for other in $(seq 0 "$last_machine"); do
    [ "$other" = "$number" ] || ip route add "$(pods_of "$other")" via "$(address_of "$other")"
  done
  sysctl -qw net.ipv4.ip_forward=1
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

# fill FILE...: copies files of this folder to DIR, with their ${NAMES} replaced.
fill() {
  local file
  mkdir -p "$dir/cni"
  for file in "$@"; do
    sed -e "s|\${dir}|$dir|g; s|\${plane}|$plane|g; s|\${cgroups}|/$cgroups|g" \
      -e "s|\${node}|$node_address|g; s|\${dns}|$dns_address|g; s|\${pods}|$(pods_of "$number")|g" \
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

start_containerd() { start containerd containerd --config "$dir/containerd.toml"; }
containerd_ready() { ! running containerd || ctr version >/dev/null 2>&1; }

kubelet_options=()
start_kubelet() {
  start kubelet "$kubelet" --config "$dir/kubelet.yaml" --kubeconfig "$dir/kubelet.kubeconfig" \
    --hostname-override "$node_name" --node-ip "$node_address" "${kubelet_options[@]}"
}
node_ready() {
  ! running kubelet ||
    kubectl wait --for=condition=Ready "node/$node_name" --timeout=1s >/dev/null 2>&1
}

start_kube_proxy() {
  start kube-proxy "$kube_proxy" --kubeconfig "$dir/kube-proxy.kubeconfig" --proxy-mode iptables \
    --hostname-override "$node_name" --cluster-cidr "$all_pods" --conntrack-max-per-core 0 \
    --iptables-min-sync-period 100ms
}
service_answers() {
  ! running kube-proxy ||
    curl -sk --noproxy "*" -m 1 -o /dev/null "https://10.96.0.1/readyz"
}
