#!/usr/bin/env bash
# Usage: control-plane.sh up DIR [ADDRESS SERVICES] | nodes DIR | no-nodes DIR | restart DIR PROGRAM | stop DIR PROGRAM |
#   down DIR
# A private control plane (etcd, kube-apiserver, kube-controller-manager) that uses only DIR and
# loopback ports. `up` takes an empty or missing folder and returns once the API server is ready and
# the controllers work; `down` stops what `up` started, even after an incomplete start, and removes
# DIR. It reads and writes no kubeconfig except DIR's own.
#
# With ADDRESS it is the control plane of real nodes that reach it at this address: every controller
# runs, and pods find the API server as kubernetes.default.svc (e2e/cluster). SERVICES are the
# addresses of Services: a range, or two with a comma for IPv4 and IPv6.
#
# By default there is no scheduler and no pod runs. `nodes` starts kube-scheduler and kwok: from
# then on every Node that is created becomes ready, and pods on it behave as in kwok/stages.yaml.
# With MINICLUSTER_TEST_SCHEDULER=coscheduling or volcano, it also starts that scheduler
# (tests/schedulers). `no-nodes` stops all of them; whoever created the Node objects must delete them.
#
# `restart` stops etcd (with SIGKILL) or kube-apiserver (gracefully) and starts it again, on the
# same port. It does not wait until the program is ready. `stop` stops a program for good, for
# example the controllers, whose part a benchmark then plays.
#
# With MINICLUSTER_TEST_AUDIT=none there is no audit log, as for a benchmark beside another operator,
# whose objects the policy leaves out.
#
# MINICLUSTER_KUBERNETES selects another version of Kubernetes (build.sh);
# MINICLUSTER_TEST_FEATURE_GATES sets feature gates, and MINICLUSTER_TEST_RUNTIME_CONFIG enables API
# versions, both in the format of the flag. MINICLUSTER_TEST_API_SERVER has further flags of the API
# server, with spaces between them.
#
# Files in DIR for users of the control plane:
#   kubeconfig              a cluster administrator by token
#   kubeconfig-certificate  the same rights by client certificate
#   ca.crt, authorization   for curl: the CA of the API server's certificate, a header with the token
#   kubectl                 of the same version
#   home/                   an empty HOME for kubectl, so that it reads no files of the user
#   logs/                   one file per program
#   audit.log               all writes: MiniClusters, the objects they own, Leases with their holders; what
#                           became of FluxSetups, the limits, Jobs, pods and status (tests/faults)
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/support/processes.sh
. "$here/../support/processes.sh"
# shellcheck source=tests/schedulers/start.sh
. "$here/../schedulers/start.sh"
marker=.control-plane  # `down` removes only a folder with this file

usage() {
  echo "usage: control-plane.sh up DIR [ADDRESS SERVICES] | nodes DIR | no-nodes DIR | restart DIR PROGRAM |" \
    "stop DIR PROGRAM | down DIR" >&2
  exit 2
}

# --- programs and files -------------------------------------------------------------------------

# The address of the Service `kubernetes` in a range that ends with .0/BITS or ::/BITS.
first_of() {
  case $1 in
    *:*) echo "${1%/*}1" ;;
    *) echo "${1%.*}.1" ;;
  esac
}

make_credentials() {
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 \
    -subj "/CN=minicluster-test-ca" -keyout "$dir/ca.key" -out "$dir/ca.crt" 2>/dev/null
  sign "$dir/ca" "$dir/apiserver" /CN=kube-apiserver \
    "subjectAltName=IP:$address,IP:127.0.0.1,IP:$(first_of "${services%,*}"),DNS:localhost,DNS:kubernetes.default.svc"
  sign "$dir/ca" "$dir/admin" /O=system:masters/CN=admin "extendedKeyUsage=clientAuth"
  sign "$dir/ca" "$dir/aggregator" /CN=aggregator "extendedKeyUsage=clientAuth"
  openssl ecparam -name prime256v1 -genkey -noout -out "$dir/service-accounts.key"
  token=$(openssl rand -hex 24)
  echo "$token,admin,admin,system:masters" >"$dir/tokens.csv"
}

# kubeconfig USER-FIELDS: prints a kubeconfig
kubeconfig() {
  cat <<END
apiVersion: v1
kind: Config
current-context: test
contexts: [{name: test, context: {cluster: test, user: admin}}]
clusters:
- name: test
  cluster:
    server: https://$host:$port
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
  curl -sf --noproxy "*" -m 2 --cacert "$dir/ca.crt" -H @"$dir/authorization" "https://$host:$port$1"
}

api_ready() {
  ! running kube-apiserver || [ "$(api_get /readyz 2>/dev/null)" = ok ]
}

# The controller manager creates the service account, so it works once the account exists.
controllers_ready() {
  ! running kube-controller-manager ||
    api_get /api/v1/namespaces/default/serviceaccounts/default >/dev/null 2>&1
}

# With the largest quota that etcd recommends: 15,000 MiniClusters within minutes (bench/scale) write more
# than the default of 2 GiB before the API server compacts.
start_etcd() {
  etcd_port=$(free_port)
  start etcd "$etcd" --data-dir "$dir/etcd" --unsafe-no-fsync --log-level warn \
    --quota-backend-bytes $((8 << 30)) \
    --listen-client-urls "http://127.0.0.1:$etcd_port" \
    --advertise-client-urls "http://127.0.0.1:$etcd_port" --listen-peer-urls "http://127.0.0.1:0"
}

write_audit_policy() {
  cat >"$dir/audit-policy.yaml" <<'END'
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
omitManagedFields: true
rules:
- level: None
  userGroups: [system:nodes]
- level: Request
  verbs: [create, update, patch]
  resources: [{group: coordination.k8s.io, resources: [leases]}]
- level: RequestResponse
  verbs: [create, update, patch, delete]
  resources:
  - {group: flux-framework.org, resources: [fluxsetups, miniclusters/status]}
  - {group: batch, resources: [jobs]}
  - {group: "", resources: [pods, pods/status]}
  - {group: "", resources: [configmaps], resourceNames: [minicluster-limits]}
- level: Metadata
  verbs: [create, update, patch, delete]
  resources:
  - {group: flux-framework.org}
  - {group: "", resources: [configmaps, secrets, services]}
- level: None
END
}

# The audit log has one file, however long the tests run. A new Node gets no not-ready taint, because no
# controller would remove it. blockOwnerDeletion requires permission on the owner's finalizers, as in
# OpenShift. Other API servers (APIService) learn by headers who asks.
start_kube_apiserver() {
  port=$(free_port)
  local plugins=OwnerReferencesPermissionEnforcement
  local -a how=(--endpoint-reconciler-type none --disable-admission-plugins TaintNodesByCondition)
  [ -z "$real" ] || how=(--kubelet-client-certificate "$dir/admin.crt"
    --kubelet-client-key "$dir/admin.key" --kubelet-preferred-address-types InternalIP)
  [ -z "$real" ] || plugins+=,NodeRestriction
  [ -z "${MINICLUSTER_TEST_RUNTIME_CONFIG-}" ] ||
    how+=(--runtime-config "$MINICLUSTER_TEST_RUNTIME_CONFIG")
  local -a more
  read -ra more <<<"${MINICLUSTER_TEST_API_SERVER-}"
  local -a audit=()
  if [ "${MINICLUSTER_TEST_AUDIT-}" != none ]; then
    write_audit_policy
    audit=(--audit-policy-file "$dir/audit-policy.yaml" --audit-log-path "$dir/audit.log"
      --audit-log-maxsize 100000)
  fi
  write_kubeconfigs
  start kube-apiserver "$kube_apiserver" --etcd-servers "http://127.0.0.1:$etcd_port" \
    --bind-address "$address" --advertise-address "$address" --secure-port "$port" \
    --cert-dir "$dir" --enable-admission-plugins "$plugins" --feature-gates "$gates" \
    "${how[@]}" "${more[@]}" \
    --tls-cert-file "$dir/apiserver.crt" --tls-private-key-file "$dir/apiserver.key" \
    "${audit[@]}" \
    --proxy-client-cert-file "$dir/aggregator.crt" --proxy-client-key-file "$dir/aggregator.key" \
    --requestheader-client-ca-file "$dir/ca.crt" --requestheader-allowed-names aggregator \
    --requestheader-username-headers X-Remote-User --requestheader-group-headers X-Remote-Group \
    --requestheader-extra-headers-prefix X-Remote-Extra- \
    --client-ca-file "$dir/ca.crt" --token-auth-file "$dir/tokens.csv" \
    --authorization-mode Node,RBAC --allow-privileged=true \
    --service-account-issuer https://kubernetes.default.svc \
    --service-account-key-file "$dir/service-accounts.key" \
    --service-account-signing-key-file "$dir/service-accounts.key" \
    --service-cluster-ip-range "$services"
}

# Without real nodes, only the controllers that our objects need: Jobs, garbage collection,
# namespaces and their service accounts.
start_kube_controller_manager() {
  local controllers=job-controller,garbage-collector-controller,namespace-controller
  controllers+=,serviceaccount-controller,serviceaccount-token-controller
  controllers+=,root-ca-certificate-publisher-controller,endpointslice-controller
  controllers+=,ttl-after-finished-controller,resourcequota-controller
  controllers+=,horizontal-pod-autoscaler-controller,disruption-controller
  [[ $gates != *GenericWorkload=true* ]] || controllers+=,podgroup-protection-controller
  [ -z "$real" ] || controllers='*'
  start kube-controller-manager "$kube_controller_manager" --kubeconfig "$dir/kubeconfig" \
    --leader-elect=false --secure-port 0 --controllers "$controllers" --feature-gates "$gates" \
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

# Refuses a folder that does not belong to a control plane.
must_be_ours() {
  [ -e "$dir/$marker" ] || die "$dir is not the folder of a control plane; nothing done"
}

# None serves a port. They work once a Node is ready and a pod runs on it.
nodes() {
  must_be_ours
  local programs
  programs=$("$here/build.sh" kube-scheduler kwok)
  { read -r kube_scheduler && read -r kwok; } <<<"$programs"
  undo_if_failed no_nodes
  running kube-scheduler || start kube-scheduler "$kube_scheduler" --kubeconfig "$dir/kubeconfig" \
    --leader-elect=false --secure-port 0 --kube-api-qps 500 --kube-api-burst 1000 \
    --feature-gates "$gates"
  [ -z "${MINICLUSTER_TEST_SCHEDULER-}" ] || start_gang_scheduler "$MINICLUSTER_TEST_SCHEDULER"
  running kwok || start kwok env "HOME=$dir/home" "$kwok" --kubeconfig "$dir/kubeconfig" \
    --config "$here/kwok/stages.yaml" --manage-all-nodes --node-lease-duration-seconds 0
}

no_nodes() {
  must_be_ours
  stop kwok
  stop kube-scheduler
  stop_gang_scheduler
}

# Whether no thread of the process PID is left that could hold its port: after a kill, the first
# thread may end before the others.
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

[ $# = 2 ] || [ "${1-} $#" = 'up 4' ] || [[ "${1-} $#" =~ ^(restart|stop)\ 3$ ]] || usage
dir=$(realpath -m "$2")
real=${3-}
address=${real:-127.0.0.1}
services=${4:-10.96.0.0/16}
host=$address
[[ $address != *:* ]] || host="[$address]"
gates=${MINICLUSTER_TEST_FEATURE_GATES-}  # an empty value of the flag sets none
case $1 in
  up) up ;;
  nodes) nodes ;;
  no-nodes) no_nodes ;;
  restart) restart "$3" ;;
  stop) must_be_ours && stop "$3" ;;
  down) down ;;
  *) usage ;;
esac
