#!/usr/bin/env bash
# Demonstrates the operator without a node: a private control plane, both services, an example whose
# pods stay pending, and the errors for an invalid spec. Exits 0 only if every step succeeded; stops
# everything that it started. It does not touch your clusters, kubeconfig or home folder. `make
# demo-api` calls it; `make demo` also runs the pods, but needs root and namespaces.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=tests/support/beside.sh
. tests/support/beside.sh
# shellcheck source=examples/demo-refusal.sh
. examples/demo-refusal.sh

example=examples/hello-world.yaml
name=hello-world
build=build/ci  # shared with the tests, so that after `make test` nothing is left to build
work=$(mktemp -d)
plane=$work/control-plane

step() { printf '\n==> %s\n' "$*"; }

die() {
  printf 'demo-api: %s\n' "$*" >&2
  exit 1
}

# kubectl on our control plane, without access to the user's files.
k() { HOME=$plane/home "$plane/kubectl" --kubeconfig "$plane/kubeconfig" "$@"; }

indent() { sed 's/^/    /'; }

# --- services -----------------------------------------------------------------------------------

declare -A pids=()

# serve NAME HEALTH-PORT PROGRAM...: starts a service and waits until it is ready.
serve() {
  local service=$1 health=$2
  shift 2
  setsid "$@" --health-probe-bind-address "127.0.0.1:$health" --metrics-bind-address 0 -v 1 >"$work/$service.log" 2>&1 </dev/null &
  pids[$service]=$!
  until_true 300 ready_or_ended "$service" "$health" || die "$service is not ready after 30 s"
  kill -0 "${pids[$service]}" 2>/dev/null || {
    unset "pids[$service]"
    indent <"$work/$service.log" >&2
    die "$service ended; above is its log"
  }
}

ready_or_ended() {
  ! kill -0 "${pids[$1]}" 2>/dev/null ||
    curl -sf --noproxy '*' -m 2 -o "$work/ready" "http://127.0.0.1:$2/readyz"
}

# end NAME: sends SIGTERM; fails unless the service then exits with code 0.
end() {
  local pid=${pids[$1]} status=0
  unset "pids[$1]"
  kill -s TERM "$pid"
  wait "$pid" || status=$?
  [ "$status" = 0 ] || die "$1 ended with exit code $status on SIGTERM"
}

finish() {
  local status=$? service
  trap '' INT TERM HUP
  for service in "${!pids[@]}"; do
    kill -s KILL "${pids[$service]}" 2>/dev/null || true
    wait "${pids[$service]}" 2>/dev/null || true
  done
  end_what_runs
  tests/control_plane/control-plane.sh down "$plane" || status=1
  if [ "$status" != 0 ]; then
    for service in webhook controller; do
      [ ! -s "$work/$service.log" ] || {
        echo "the last lines of the $service's log:"
        tail -n 15 "$work/$service.log" | indent
      } >&2
    done
    echo "demo-api: failed; everything it started is stopped" >&2
  fi
  rm -rf "$work"
  exit "$status"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# --- the steps ----------------------------------------------------------------------------------

build_services() {
  cmake --preset ci && cmake --build --preset ci --target minicluster-webhook minicluster-controller
}

services_alone() { alone ci build_services; }

build_programs() { tests/control_plane/build.sh control-plane; }

install_webhook_configurations() {
  local ca_bundle
  ca_bundle=$(base64 -w0 "$work/certificates/ca.crt")
  sed -e "s|@URL@|https://127.0.0.1:$1|" -e "s|@CA_BUNDLE@|$ca_bundle|" \
    tests/support/webhook-configurations.yaml | k apply -f - | indent
}

# The API server takes a moment to load its webhook configurations; only the webhook sets maxSize.
webhook_is_asked() {
  k create --dry-run=server -o json -f "$example" 2>/dev/null | jq -e .spec.maxSize >"$work/asked"
}

# The stored object without the fields that Kubernetes writes, as YAML in the order of the file.
stored_as_yaml() {
  k get minicluster "$name" -o json |
    jq '{apiVersion, kind, metadata: {name: .metadata.name, namespace: .metadata.namespace}, spec}' |
    k create --dry-run=client -o yaml -f -
}

show_what_was_filled_in() {
  k create --dry-run=client -o yaml -f "$example" >"$work/applied.yaml"
  stored_as_yaml >"$work/stored.yaml"
  diff -U 1000 "$work/applied.yaml" "$work/stored.yaml" | tail -n +4 >"$work/diff" || true
  grep -q '^+  maxSize: 4$' "$work/diff" || die "the stored object has no maxSize"
  ! grep -q headlessName "$work/diff" || die "the stored object has a name that follows from its own"
  ! grep '^-' "$work/diff" || die "above is what the webhook removed, and it may only add"
  indent <"$work/diff"
}

show_objects() {
  local columns="KIND:.kind,NAME:.metadata.name,OWNER:.metadata.ownerReferences[0].kind"
  columns+=",OWNER-NAME:.metadata.ownerReferences[0].name"
  k get jobs,services,configmaps,secrets -l "flux-framework.org/minicluster=$name" \
    -o "custom-columns=$columns" >"$work/objects"
  local kind
  for kind in Job Service ConfigMap Secret; do
    grep -qE "^$kind +${name}[^ ]* +MiniCluster +$name *\$" "$work/objects" ||
      die "there is no $kind owned by the MiniCluster"
  done
  indent <"$work/objects"
}

pods_are_there() { [ "$(k get pods -l "job-name=$name" -o name | wc -l)" = 4 ]; }

show_status() {
  k get minicluster "$name" -o wide | indent
  k get minicluster "$name" -o json | jq -r \
    '.status.conditions[] | "\(.type)=\(.status)  \(.reason): \(.message)"' | indent
}

begin=$SECONDS
step "Packages"
./packages.sh

step "Building both services and Kubernetes' programs (minutes the first time)"
echo "    KUBEBUILDER_ASSETS=FOLDER takes those programs that are in FOLDER"
beside "$work" services=services_alone programs=build_programs || die "the build failed"
printf '    %s\n' "$build/bin/minicluster-webhook" "$build/bin/minicluster-controller"

step "Starting a control plane"
tests/control_plane/control-plane.sh up "$plane"
k version | indent

step "Installing the CRD"
k apply --server-side -f crds/ | indent
until_true 600 k get miniclusters >"$work/discovered" 2>&1 || die "the API server does not serve it"

step "Starting the webhook over TLS, and telling the API server to ask it"
certs/dev-certificates.sh "$work/certificates"
port=$(free_port)
serve webhook "$(free_port)" "$build/bin/minicluster-webhook" --host 127.0.0.1 --port "$port" \
  --cert-dir "$work/certificates"
install_webhook_configurations "$port"
until_true 300 webhook_is_asked || die "the API server does not ask the webhook"

step "Starting the controller"
serve controller "$(free_port)" "$build/bin/minicluster-controller" --kubeconfig "$plane/kubeconfig"
echo "ready" | indent

step "Applying $example"
grep -v '^#' "$example" | indent
k apply -f "$example" | indent

step "What the webhook and the schema filled in (+)"
show_what_was_filled_in

step "What the controller made of it"
k wait --for=condition=ObjectsReady --timeout=60s "minicluster/$name" | indent
show_objects

step "Its status (there is no node here, so its pods stay pending)"
until_true 300 pods_are_there || die "the Job controller has not made the four pods"
k get pods -l "job-name=$name" | indent
show_status

step "What a wrong spec is told"
show_refusal k

step "Deleting it, and stopping everything"
k delete minicluster "$name" | indent
end controller
end webhook
tests/control_plane/control-plane.sh down "$plane"

step "Done in $((SECONDS - begin)) s; all of the above happened"
