#!/usr/bin/env bash
# Usage: operator.sh DIR PROGRAMS
# Starts the operator in the cluster of cluster.sh in DIR: its CRDs, and both services from the
# folder PROGRAMS as processes of the node, without images. Run it in the namespaces of the cluster
# (cluster.sh exec), with which the services end. Returns once the API server asks the webhook and the
# controller is ready. The logs are DIR/logs/webhook.log and DIR/logs/controller.log.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/support/processes.sh
. "$here/../../tests/support/processes.sh"
dir=${1:?usage: operator.sh DIR PROGRAMS} programs=${2:?usage: operator.sh DIR PROGRAMS}
top=$here/../..
plane=$dir/control-plane

kubectl() { HOME=$plane/home "$plane/kubectl" --kubeconfig "$plane/kubeconfig" "$@"; }

# ready NAME HEALTH-PORT: whether it is, or has ended.
ready() { ! running "$1" || curl -sf --noproxy '*' -m 2 -o /dev/null "http://127.0.0.1:$2/readyz"; }

start_webhook() {
  port=$(free_port) webhook_health=$(free_port)
  start webhook "$programs/minicluster-webhook" --host 127.0.0.1 --port "$port" \
    --cert-dir "$dir/certificates" --health-probe-bind-address "127.0.0.1:$webhook_health" \
    --metrics-bind-address 0 -v 1
}
webhook_ready() { ready webhook "$webhook_health"; }

start_controller() {
  controller_health=$(free_port)
  start controller "$programs/minicluster-controller" --kubeconfig "$plane/kubeconfig" \
    --health-probe-bind-address "127.0.0.1:$controller_health" --metrics-bind-address 0 -v 1
}
controller_ready() { ready controller "$controller_health"; }

crds_served() { kubectl get miniclusters >/dev/null 2>&1; }

# Only the webhook sets maxSize.
webhook_is_asked() {
  kubectl create --dry-run=server -o json -f "$top/examples/hello-world.yaml" 2>/dev/null |
    jq -e .spec.maxSize >/dev/null
}

kubectl apply --server-side -f "$top/crds/" >/dev/null
"$top/certs/dev-certificates.sh" "$dir/certificates"
bring webhook 600 webhook_ready
until_true 600 crds_served || die "the API server does not serve the CRDs"
sed -e "s|@URL@|https://127.0.0.1:$port|" -e "s|@CA_BUNDLE@|$(base64 -w0 "$dir/certificates/ca.crt")|" \
  "$top/tests/support/webhook-configurations.yaml" | kubectl apply -f - >/dev/null
bring controller 600 controller_ready
until_true 600 webhook_is_asked || die "the API server does not ask the webhook"
