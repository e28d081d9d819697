#!/usr/bin/env bash
# Usage: up.sh DIR
# Brings up, in DIR, a private cluster of one real node with the operator in it, and prints how to
# use it: builds what is missing, starts the cluster (cluster/cluster.sh) and both services as
# processes of its node (cluster/operator.sh), and loads the images localhost/flux-view:e2e (Flux,
# from source) and localhost/mpi-sum:e2e (examples/mpi-sum). DIR should be short, because it is part
# of socket paths.
# DIR/enter COMMAND... runs a command in the cluster, with kubectl and its plugin; the cluster cannot
# be reached from outside. `cluster/cluster.sh down DIR` removes everything, also after a crash.
# If it fails, it stops what it started. Exits 3 if no node can be started here: it needs root,
# namespaces, Debian 12 and the source of Flux.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=tests/support/beside.sh
. tests/support/beside.sh

dir=$(realpath -m "${1:?usage: up.sh DIR}")
programs=$PWD/build/ci/bin  # shared with the tests, so that after `make test` little is left to build
images=build/demo/images
cluster=e2e/cluster/cluster.sh
work=''
ours=''  # whether this run started the cluster

step() { printf '\n==> %s\n' "$*"; }

die() {
  printf 'up.sh: %s\n' "$*" >&2
  exit 1
}

not_here() {
  printf 'up.sh: no node can be started here, because %s; make demo-api shows the operator without one\n' "$*" >&2
  exit 3
}

finish() {
  local status=$?
  trap '' INT TERM HUP
  end_what_runs
  rm -rf "$work"
  [ "$status" = 0 ] || [ -z "$ours" ] || "$cluster" down "$dir"
  exit "$status"
}

# --- builds -------------------------------------------------------------------------------------

configure_and_build() {
  cmake --preset ci &&
    cmake --build --preset ci --target minicluster-webhook minicluster-controller kubectl-minicluster
}
build_services() { alone ci configure_and_build; }

build_programs() { tests/control_plane/build.sh control-plane node; }

build_flux() { tests/flux/build.sh --core; }

# Only if something that they are made of has changed, because even to find that out takes buildah
# many seconds. Those that need no Flux are built while Flux is.
build_images() {
  local flux key
  if [ ! -e "$images/key" ]; then e2e/images/build.sh "$images" pause mpi-sum || return; fi
  flux=$(tests/flux/build.sh --core) &&
    key=$({ echo "$flux" && cat e2e/images/{build.sh,Dockerfile,pause.c} examples/mpi-sum/*; } | sha256sum) ||
    return
  [ "$(cat "$images/key" 2>/dev/null)" != "$key" ] || return 0
  e2e/images/build.sh --flux "$flux" "$images" pause mpi-sum flux-view && echo "$key" >"$images/key"
}

# --- the cluster --------------------------------------------------------------------------------

write_enter() {
  cat >"$dir/enter" <<END
#!/bin/sh
# Usage: enter [COMMAND...]
# Runs COMMAND, or a shell, in this cluster, with kubectl and kubectl minicluster.
exec $(printf '%q' "$PWD/$cluster") exec $(printf '%q' "$dir") env \\
  KUBECONFIG=$(printf '%q' "$dir/control-plane/kubeconfig") HOME=$(printf '%q' "$dir/control-plane/home") \\
  PATH=$(printf '%q' "$dir/control-plane:$programs"):"\$PATH" "\${@:-bash}"
END
  chmod +x "$dir/enter"
}

show_use() {
  cat <<END
    kubeconfig  $dir/control-plane/kubeconfig (the API server answers only inside)
    inside      $dir/enter kubectl get pods --all-namespaces; without a command, a shell
    to run      $dir/enter kubectl minicluster run --image localhost/mpi-sum:e2e \\
                  --set spec.flux.container.image=localhost/flux-view:e2e -N 4 -n 4 -- mpi-sum
    operator    $dir/logs/webhook.log, controller.log
    node        $dir/logs/kubelet.log, containerd.log, kube-proxy.log, kube-scheduler.log, coredns.log
    Kubernetes  $dir/control-plane/logs/kube-apiserver.log, kube-controller-manager.log, etcd.log
    the end     make down DIR=$dir
END
}

# Unpacked here, because otherwise the first four pods each unpack the same layers.
load_images() {
  local archive
  for archive in "$images"/{pause,mpi-sum,flux-view}.tar; do
    "$dir/enter" ctr --namespace k8s.io images import "$archive" >/dev/null
  done
}

is_up() { [ -e "$dir/up" ] && "$dir/enter" true 2>/dev/null; }

if is_up; then
  echo "the cluster in $dir is already up"
  show_use
  exit
fi
[ ! -e "$dir" ] || [ -z "$(ls -A "$dir")" ] ||
  die "$dir is not empty; if it has what a crash left of a cluster: make down DIR=$dir"
[ "$(id -u)" = 0 ] || not_here "that needs root"
unshare --net --mount --pid --fork --mount-proc true 2>/dev/null ||
  not_here "that needs network, mount and PID namespaces (unshare), which this machine does not allow"
[ "$(. /etc/os-release && echo "${VERSION_CODENAME-}")" = bookworm ] ||
  not_here "Flux is built here for images of Debian 12, and this is another system"
tests/flux/build.sh --source 2>/dev/null ||
  not_here "there is no source of Flux, neither in the folder MINICLUSTER_FLUX_SOURCE nor by git"

work=$(mktemp -d)
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

step "Packages"
./packages.sh --e2e
./packages.sh --flux

step "Building the operator, Kubernetes, Flux and two images (many minutes the first time)"
beside "$work" operator=build_services programs=build_programs flux=build_flux images=build_images ||
  die "the build failed"

step "Starting a cluster of one node in $dir"
ours=yes
"$cluster" up "$dir"
write_enter
"$dir/enter" kubectl get nodes | sed 's/^/    /'

step "Starting the operator in it, and loading the images"
"$cluster" exec "$dir" e2e/cluster/operator.sh "$dir" "$programs"
load_images
touch "$dir/up"
show_use
