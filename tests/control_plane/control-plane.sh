#!/usr/bin/env bash
# Usage: control-plane.sh up DIR | nodes DIR | no-nodes DIR | down DIR
# A control plane of our own (etcd, kube-apiserver, kube-controller-manager) that lives in DIR and
# on loopback ports only. `up` takes an empty or missing folder and returns once the API server is
# ready and the controllers work; `down` stops what `up` started, however far that came, and removes
# DIR. No kubeconfig but DIR's own is read or written.
#
# Without more there is no scheduler and nothing runs a pod. `nodes` starts kube-scheduler and kwok:
# from then on every Node that somebody creates is ready, and pods on it live as
# kwok/stages.yaml says. `no-nodes` stops the two again; the Node objects are their maker's.
#
# In DIR, for those who use it:
#   kubeconfig              a cluster administrator by token
#   kubeconfig-certificate  the same rights by client certificate
#   ca.crt, authorization   for curl: what signed the API server's certificate, a header with the token
#   kubectl                 of the same version
#   home/                   an empty HOME for kubectl, so that it finds nothing of the user's
#   logs/                   one file per program
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/support/lib.sh
. "$here/../support/lib.sh"
marker=.control-plane  # `down` removes no folder without it

usage() {
  echo "usage: control-plane.sh up DIR | nodes DIR | no-nodes DIR | down DIR" >&2
  exit 2
}

die() {
  echo "control-plane.sh: $*" >&2
  exit 1
}

# --- processes ----------------------------------------------------------------------------------

# When process $1 started, in ticks since boot; nothing if there is none. With the pid it names one
# process for ever, so that `down` never signals a stranger that got the number later. A zombie
# has ended.
started_at() {
  local stat
  stat=$(cat "/proc/$1/stat" 2>/dev/null) || return 0
  local -a fields
  read -ra fields <<<"${stat##*) }"
  [ "${fields[0]}" = Z ] || echo "${fields[19]}"
}

starting=''
ended_by=''

# What a signal does: ends the script, but not between the start of a program and the moment when
# its pid is written down.
end_by_signal() {
  ended_by=$1
  [ -n "$starting" ] || exit "$1"
}

# start NAME PROGRAM ARGUMENT...: in a session of its own, so that Ctrl-C reaches only our caller.
start() {
  local name=$1
  shift
  starting=$name
  rm -f "$dir/pids/$name"
  (
    pid=$BASHPID
    echo "$pid $(started_at "$pid")" >"$dir/pids/$name" &&
      exec setsid "$@" >"$dir/logs/$name.log" 2>&1 </dev/null
  ) &
  until_true 100 test -s "$dir/pids/$name" || die "$name cannot be started"
  starting=''
  [ -z "$ended_by" ] || exit "$ended_by"
}

running() {
  local pid since
  read -r pid since 2>/dev/null <"$dir/pids/$1" || return 1
  [ -n "$since" ] && [ "$(started_at "$pid")" = "$since" ]
}

signal() {
  local pid _
  read -r pid _ <"$dir/pids/$2"
  kill -s "$1" "$pid" 2>/dev/null || true
}

stopped() { ! running "$1"; }

stop() {
  running "$1" || return 0
  signal TERM "$1"
  until_true 50 stopped "$1" && return 0
  signal KILL "$1"
  until_true 50 stopped "$1" || die "$1 does not end; its folder $dir is left as it is"
}

# --- what it is made of -------------------------------------------------------------------------

# sign NAME SUBJECT EXTENSIONS: NAME.key and NAME.crt by our CA.
sign() {
  openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj "$2" \
    -keyout "$dir/$1.key" -out "$dir/$1.csr" 2>/dev/null
  openssl x509 -req -in "$dir/$1.csr" -CA "$dir/ca.crt" -CAkey "$dir/ca.key" -CAcreateserial \
    -days 2 -extfile <(printf '%s\n' "$3") -out "$dir/$1.crt" 2>/dev/null
  rm "$dir/$1.csr"
}

make_credentials() {
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 \
    -subj "/CN=minicluster-test-ca" -keyout "$dir/ca.key" -out "$dir/ca.crt" 2>/dev/null
  sign apiserver /CN=kube-apiserver \
    "subjectAltName=IP:127.0.0.1,IP:10.96.0.1,DNS:localhost,DNS:kubernetes.default.svc"
  sign admin /O=system:masters/CN=admin "extendedKeyUsage=clientAuth"
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
    server: https://127.0.0.1:$port
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
  curl -sf --noproxy "*" -m 2 --cacert "$dir/ca.crt" -H @"$dir/authorization" "https://127.0.0.1:$port$1"
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

# A new Node is not tainted as not ready: there is no controller that would take that away. To own
# with blockOwnerDeletion needs the right to the owner's finalizers, as in OpenShift.
start_kube_apiserver() {
  port=$(free_port)
  start kube-apiserver "$kube_apiserver" --etcd-servers "http://127.0.0.1:$etcd_port" \
    --bind-address 127.0.0.1 --advertise-address 127.0.0.1 --secure-port "$port" \
    --endpoint-reconciler-type none --cert-dir "$dir" \
    --tls-cert-file "$dir/apiserver.crt" --tls-private-key-file "$dir/apiserver.key" \
    --client-ca-file "$dir/ca.crt" --token-auth-file "$dir/tokens.csv" \
    --authorization-mode Node,RBAC --allow-privileged=true \
    --disable-admission-plugins TaintNodesByCondition \
    --enable-admission-plugins OwnerReferencesPermissionEnforcement \
    --service-account-issuer https://kubernetes.default.svc \
    --service-account-key-file "$dir/service-accounts.key" \
    --service-account-signing-key-file "$dir/service-accounts.key" \
    --service-cluster-ip-range 10.96.0.0/16
}

# Only what objects of ours need: Jobs, garbage collection, namespaces and their service accounts.
start_kube_controller_manager() {
  local controllers=job-controller,garbage-collector-controller,namespace-controller
  controllers+=,serviceaccount-controller,serviceaccount-token-controller
  controllers+=,root-ca-certificate-publisher-controller,endpointslice-controller
  controllers+=,ttl-after-finished-controller,resourcequota-controller
  controllers+=,horizontal-pod-autoscaler-controller
  start kube-controller-manager "$kube_controller_manager" --kubeconfig "$dir/kubeconfig" \
    --leader-elect=false --secure-port 0 --controllers "$controllers" \
    --root-ca-file "$dir/ca.crt" --kube-api-qps 500 --kube-api-burst 1000 \
    --horizontal-pod-autoscaler-sync-period 1s \
    --service-account-private-key-file "$dir/service-accounts.key" --use-service-account-credentials
}

# bring NAME TENTHS READY: starts a program and waits until it is ready; again, on other ports, where
# it ended by itself (somebody took the port first) or did not become ready.
bring() {
  local name=$1 tenths=$2 function=${1//-/_}
  for _ in 1 2 3; do
    "start_$function"
    [ "$name" != kube-apiserver ] || write_kubeconfigs
    if until_true "$tenths" "${3}"; then
      ! running "$name" || return 0
    else
      stop "$name"
    fi
  done
  tail -n 20 "$dir/logs/$name.log" >&2
  die "$name did not become ready; above is the end of its log"
}

undo_if_failed() {
  local status=$?
  trap '' INT TERM HUP
  [ "$status" = 0 ] || down
  exit "$status"
}

up() {
  if [ -e "$dir" ]; then
    [ -d "$dir" ] || die "$dir is not a folder"
    [ -z "$(ls -A "$dir")" ] || die "$dir is not empty"
  fi
  local programs
  programs=$("$here/build.sh" etcd kube-apiserver kube-controller-manager kubectl)
  { read -r etcd && read -r kube_apiserver && read -r kube_controller_manager && read -r kubectl; } \
    <<<"$programs"
  mkdir -p "$dir"
  chmod 700 "$dir"
  mkdir "$dir/logs" "$dir/pids" "$dir/home"
  touch "$dir/$marker"
  trap undo_if_failed EXIT
  trap 'end_by_signal 130' INT
  trap 'end_by_signal 143' TERM HUP
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

undo_nodes_if_failed() {
  local status=$?
  trap '' INT TERM HUP
  [ "$status" = 0 ] || no_nodes
  exit "$status"
}

# Neither serves a port. That they work shows when a Node gets ready and a pod runs on it.
nodes() {
  must_be_ours
  local programs
  programs=$("$here/build.sh" kube-scheduler kwok)
  { read -r kube_scheduler && read -r kwok; } <<<"$programs"
  trap undo_nodes_if_failed EXIT
  trap 'end_by_signal 130' INT
  trap 'end_by_signal 143' TERM HUP
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

down() {
  [ -d "$dir" ] || return 0
  must_be_ours
  no_nodes
  stop kube-controller-manager
  stop kube-apiserver
  stop etcd
  rm -rf "$dir"
}

[ $# = 2 ] || usage
dir=$(realpath -m "$2")
case $1 in
  up) up ;;
  nodes) nodes ;;
  no-nodes) no_nodes ;;
  down) down ;;
  *) usage ;;
esac
