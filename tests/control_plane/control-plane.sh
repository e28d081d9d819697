#!/usr/bin/env bash
# Usage: control-plane.sh up DIR [ADDRESS] | nodes DIR | no-nodes DIR | restart DIR PROGRAM | down DIR
# A control plane of our own (etcd, kube-apiserver, kube-controller-manager) that lives in DIR and
# on loopback ports only. `up` takes an empty or missing folder and returns once the API server is
# ready and the controllers work; `down` stops what `up` started, however far that came, and removes
# DIR. No kubeconfig but DIR's own is read or written.
#
# With ADDRESS it is the control plane of real nodes that reach it there: every controller works,
# and pods find the API server as kubernetes.default.svc (e2e/cluster).
#
# Without more there is no scheduler and nothing runs a pod. `nodes` starts kube-scheduler and kwok:
# from then on every Node that somebody creates is ready, and pods on it live as
# kwok/stages.yaml says. `no-nodes` stops the two again; the Node objects are their maker's.
#
# `restart` ends etcd (by SIGKILL) or kube-apiserver (which may finish what it is at) and starts it again as
# it was, on the same port; it does not wait until the program is ready.
#
# MINICLUSTER_KUBERNETES chooses another version of Kubernetes (build.sh), MINICLUSTER_TEST_FEATURE_GATES
# sets feature gates, as their flag takes them.
#
# In DIR, for those who use it:
#   kubeconfig              a cluster administrator by token
#   kubeconfig-certificate  the same rights by client certificate
#   ca.crt, authorization   for curl: what signed the API server's certificate, a header with the token
#   kubectl                 of the same version
#   home/                   an empty HOME for kubectl, so that it finds nothing of the user's
#   logs/                   one file per program
#   audit.log               who wrote what when: MiniClusters, what they own, Leases with their holders
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/support/processes.sh
. "$here/../support/processes.sh"
marker=.control-plane  # `down` removes no folder without it

usage() {
  echo "usage: control-plane.sh up DIR [ADDRESS] | nodes DIR | no-nodes DIR | restart DIR PROGRAM | down DIR" >&2
  exit 2
}

# --- what it is made of -------------------------------------------------------------------------

make_credentials() {
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 \
    -subj "/CN=minicluster-test-ca" -keyout "$dir/ca.key" -out "$dir/ca.crt" 2>/dev/null
  sign "$dir/ca" "$dir/apiserver" /CN=kube-apiserver \
    "subjectAltName=IP:$address,IP:127.0.0.1,IP:10.96.0.1,DNS:localhost,DNS:kubernetes.default.svc"
  sign "$dir/ca" "$dir/admin" /O=system:masters/CN=admin "extendedKeyUsage=clientAuth"
  openssl ecparam -name prime256v1 -genkey -noout -out "$dir/service-accounts.key"
  token=$(openssl rand -hex 24)
  echo "$token,admin,admin,system:masters" >"$dir/tokens.csv"
}

# kubeconfig USER-FIELDS, on standard output
kubeconfig() {
  cat <<END
apiVersion: v1
kind: Config
current-context: test
contexts: [{name: test, context: {cluster: test, user: admin}}]
clusters:
- name: test
  cluster:
    server: https://$address:$port
    certificate-authority-data: $(base64 -w0 "$dir/ca.crt")
users:
- name: admin
  user: $1
END
}

write_kubeconfigs() {
  kubeconfig "{token: $token}" >"$dir/kubeconfig"
  kubeconfig "{client-certificate-data: $(base64 -w0 "$dir/admin.crt"), client-key-data: $(
    base64 -w0 "$dir/admin.key"
  )}" >"$dir/kubeconfig-certificate"
}

# --- up and down --------------------------------------------------------------------------------

etcd_ready() {
  ! running etcd || [ "$(curl -s --noproxy "*" -m 2 "http://127.0.0.1:$etcd_port/health" | jq -r .health)" = true ]
}

api_get() {
  curl -sf --noproxy "*" -m 2 --cacert "$dir/ca.crt" -H @"$dir/authorization" "https://$address:$port$1"
}

api_ready() {
  ! running kube-apiserver || [ "$(api_get /readyz 2>/dev/null)" = ok ]
}

# The service account is the controller manager's work, so it works once there is one.
controllers_ready() {
  ! running kube-controller-manager ||
    api_get /api/v1/namespaces/default/serviceaccounts/default >/dev/null 2>&1
}

start_etcd() {
  etcd_port=$(free_port)
  start etcd "$etcd" --data-dir "$dir/etcd" --unsafe-no-fsync --log-level warn \
    --listen-client-urls "http://127.0.0.1:$etcd_port" \
    --advertise-client-urls "http://127.0.0.1:$etcd_port" --listen-peer-urls "http://127.0.0.1:0"
}

write_audit_policy() {
  cat >"$dir/audit-policy.yaml" <<'END'
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- level: Request
  verbs: [create, update, patch]
  resources: [{group: coordination.k8s.io, resources: [leases]}]
- level: Metadata
  verbs: [create, update, patch, delete]
  resources:
  - {group: flux-framework.org}
  - {group: batch, resources: [jobs]}
  - {group: "", resources: [configmaps, secrets, services]}
- level: None
END
}

# A new Node is not tainted as not ready: there is no controller that would take that away. To own
# with blockOwnerDeletion needs the right to the owner's finalizers, as in OpenShift.
start_kube_apiserver() {
  port=$(free_port)
  local plugins=OwnerReferencesPermissionEnforcement
  local -a how=(--endpoint-reconciler-type none --disable-admission-plugins TaintNodesByCondition)
  [ -z "$real" ] || how=(--kubelet-client-certificate "$dir/admin.crt"
    --kubelet-client-key "$dir/admin.key" --kubelet-preferred-address-types InternalIP)
  [ -z "$real" ] || plugins+=,NodeRestriction
  [ -z "$gates" ] || how+=(--feature-gates "$gates")
  write_kubeconfigs
  write_audit_policy
  start kube-apiserver "$kube_apiserver" --etcd-servers "http://127.0.0.1:$etcd_port" \
    --bind-address "$address" --advertise-address "$address" --secure-port "$port" \
    --cert-dir "$dir" --enable-admission-plugins "$plugins" "${how[@]}" \
    --tls-cert-file "$dir/apiserver.crt" --tls-private-key-file "$dir/apiserver.key" \
    --audit-policy-file "$dir/audit-policy.yaml" --audit-log-path "$dir/audit.log" \
    --client-ca-file "$dir/ca.crt" --token-auth-file "$dir/tokens.csv" \
    --authorization-mode Node,RBAC --allow-privileged=true \
    --service-account-issuer https://kubernetes.default.svc \
    --service-account-key-file "$dir/service-accounts.key" \
    --service-account-signing-key-file "$dir/service-accounts.key" \
    --service-cluster-ip-range 10.96.0.0/16
}

# Without real nodes only what objects of ours need: Jobs, garbage collection, namespaces and their
# service accounts.
start_kube_controller_manager() {
  local controllers=job-controller,garbage-collector-controller,namespace-controller
  controllers+=,serviceaccount-controller,serviceaccount-token-controller
  controllers+=,root-ca-certificate-publisher-controller,endpointslice-controller
  controllers+=,ttl-after-finished-controller,resourcequota-controller
  controllers+=,horizontal-pod-autoscaler-controller
  [ -z "$real" ] || controllers='*'
  local -a how=()
  [ -z "$gates" ] || how=(--feature-gates "$gates")
  start kube-controller-manager "$kube_controller_manager" --kubeconfig "$dir/kubeconfig" \
    --leader-elect=false --secure-port 0 --controllers "$controllers" "${how[@]}" \
    --root-ca-file "$dir/ca.crt" --kube-api-qps 500 --kube-api-burst 1000 \
    --horizontal-pod-autoscaler-sync-period 1s \
    --service-account-private-key-file "$dir/service-accounts.key" --use-service-account-credentials
}

up() {
  if [ -e "$dir" ]; then
    [ -d "$dir" ] || die "$dir is not a folder"
    [ -z "$(ls -A "$dir")" ] || die "$dir is not empty"
  fi
  local programs
  programs=$("$here/build.sh" control-plane)
  { read -r etcd && read -r kube_apiserver && read -r kube_controller_manager && read -r kubectl; } \
    <<<"$programs"
  mkdir -p "$dir"
  chmod 700 "$dir"
  mkdir "$dir/logs" "$dir/pids" "$dir/home"
  touch "$dir/$marker"
  undo_if_failed down
  ln -s "$kubectl" "$dir/kubectl"
  make_credentials
  echo "Authorization: Bearer $token" >"$dir/authorization"
  bring etcd 200 etcd_ready
  bring kube-apiserver 600 api_ready
  bring kube-controller-manager 300 controllers_ready
}

# Nothing is done to a folder that is not of a control plane.
must_be_ours() {
  [ -e "$dir/$marker" ] || die "$dir is not the folder of a control plane; nothing done"
}

# Neither serves a port. That they work shows when a Node gets ready and a pod runs on it.
nodes() {
  must_be_ours
  local programs
  programs=$("$here/build.sh" kube-scheduler kwok)
  { read -r kube_scheduler && read -r kwok; } <<<"$programs"
  undo_if_failed no_nodes
  running kube-scheduler || start kube-scheduler "$kube_scheduler" --kubeconfig "$dir/kubeconfig" \
    --leader-elect=false --secure-port 0 --kube-api-qps 500 --kube-api-burst 1000
  running kwok || start kwok env "HOME=$dir/home" "$kwok" --kubeconfig "$dir/kubeconfig" \
    --config "$here/kwok/stages.yaml" --manage-all-nodes --node-lease-duration-seconds 0
}

no_nodes() {
  must_be_ours
  stop kwok
  stop kube-scheduler
}

# Whether nothing is left of the process PID that could hold its port: of one that was killed the first
# thread may be gone before the others.
gone() { [ "$(cat /proc/"$1"/task/*/stat 2>/dev/null | grep -vc ') Z ')" = 0 ]; }

restart() {
  must_be_ours
  local name=$1 pid
  local -a command
  running "$name" || die "$name does not run"
  read -r pid _ <"$dir/pids/$name"
  mapfile -d '' -t command <"/proc/$pid/cmdline"
  if [ "$name" = etcd ]; then
    signal KILL etcd
  else
    stop "$name"
  fi
  until_true 300 gone "$pid" || die "$name does not end"
  start "$name" "${command[@]}"
  ! until_true 5 stopped "$name" || die "$name ended at once: $(tail -n 1 "$dir/logs/$name.log")"
}

down() {
  [ -d "$dir" ] || return 0
  must_be_ours
  no_nodes
  stop kube-controller-manager
  stop kube-apiserver
  stop etcd
  rm -rf "$dir"
}

[ $# = 2 ] || [ "${1-} $#" = 'up 3' ] || [ "${1-} $#" = 'restart 3' ] || usage
dir=$(realpath -m "$2")
real=${3-}
address=${real:-127.0.0.1}
gates=${MINICLUSTER_TEST_FEATURE_GATES-}
case $1 in
  up) up ;;
  nodes) nodes ;;
  no-nodes) no_nodes ;;
  restart) restart "$3" ;;
  down) down ;;
  *) usage ;;
esac
