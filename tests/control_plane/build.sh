#!/usr/bin/env bash
# Usage: build.sh PROGRAM...
# Prints the path of each PROGRAM, one per line (etcd, kube-apiserver, kube-controller-manager,
# kube-scheduler, kubelet, kube-proxy, kubectl, coredns, kwok, helm, helm4, kubeconform,
# device-plugin, kstatus, prometheus-adapter, and containerd and containerd-shim-runc-v2, which are
# containerd 2; control-plane stands for the programs of control-plane.sh: the first three and
# kubectl; node stands for those of a node: kube-scheduler, kubelet, kube-proxy, coredns). A binary
# in KUBEBUILDER_ASSETS is used unchanged; any other is built once from the Go modules pinned in
# this folder and kept in a cache outside the tree, keyed by the modules' checksums, and by the
# source of those that are here. Progress is printed to standard error.
# MINICLUSTER_KUBERNETES=1.31 selects Kubernetes' own programs of that version, pinned in
# kubernetes-1.31/ (pin.sh).
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/support/beside.sh
. "$here/../support/beside.sh"
cache=${MINICLUSTER_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/minicluster-operator}

module_of() {
  case $1 in
    device-plugin) echo device_plugin ;;
    kstatus) echo kstatus ;;
    kwok) echo kwok ;;
    containerd | containerd-shim-runc-v2) echo containerd ;;
    prometheus-adapter) echo prometheus-adapter ;;
    coredns | etcd | helm | helm4 | kubeconform) echo kubernetes ;;
    kube-apiserver | kube-controller-manager | kube-proxy | kube-scheduler | kubectl | kubelet)
      echo "kubernetes${MINICLUSTER_KUBERNETES:+-$MINICLUSTER_KUBERNETES}"
      ;;
    *)
      echo "build.sh: no module builds '$1'" >&2
      return 2
      ;;
  esac
}

package_of() {
  case $1 in
    device-plugin | kstatus) echo . ;;
    coredns) echo github.com/coredns/coredns ;;
    etcd) echo go.etcd.io/etcd/server/v3 ;;
    containerd*) echo "github.com/containerd/containerd/v2/cmd/$1" ;;
    kwok) echo sigs.k8s.io/kwok/cmd/kwok ;;
    prometheus-adapter) echo sigs.k8s.io/prometheus-adapter/cmd/adapter ;;
    kubeconform) echo github.com/yannh/kubeconform/cmd/kubeconform ;;
    helm) echo helm.sh/helm/v3/cmd/helm ;;
    helm4) echo helm.sh/helm/v4/cmd/helm ;;
    *) echo "k8s.io/kubernetes/cmd/$1" ;;
  esac
}

# Kubernetes programs report their version to each other, so it is stamped as in their own build.
# Helm without a cluster assumes the version stamped there.
flags_of() {
  local module=$1 version
  [[ $module = kubernetes-* ]] || module=kubernetes
  version=$(cd "$here/$module" && "$go" list -m -f '{{.Version}}' k8s.io/kubernetes) || return
  local major minor
  major=${version#v} major=${major%%.*}
  minor=${version#v*.} minor=${minor%%.*}
  local at=k8s.io/component-base/version helm=helm.sh/helm package
  local flags="-s -w -X $at.gitVersion=$version -X $at.gitMajor=$major -X $at.gitMinor=$minor"
  for package in v3/pkg/chartutil v3/pkg/lint/rules v4/pkg/chart/common v4/pkg/chart/v2/lint/rules; do
    flags+=" -X $helm/$package.k8sVersionMajor=$major -X $helm/$package.k8sVersionMinor=$minor"
  done
  echo "$flags"
}

# path_of PROGRAM: its path, also before it is built.
path_of() {
  if [ -x "${KUBEBUILDER_ASSETS:-/nonexistent}/$1" ]; then
    realpath -s "$KUBEBUILDER_ASSETS/$1"
    return
  fi
  local module key files
  module=$(module_of "$1") || return
  files=("$here/$module/go.mod" "$here/$module/go.sum")
  [ ! -e "$here/$module/main.go" ] || files+=("$here/$module/main.go")
  key=$(cat "${files[@]}" | sha256sum | cut -c1-16)
  echo "$cache/$module-$key/$1"
}

# Without debug information, which the linker would discard: a quarter less CPU time. The compiler's
# garbage collection is a sixth of the rest, so it may use more memory instead.
build() {
  local program=$1 target=$2 module flags
  module=$(module_of "$program")
  flags=$(flags_of "$module")
  (cd "$here/$module" && CGO_ENABLED=0 GOGC=400 GOFLAGS=-mod=readonly "$go" build -trimpath \
    -gcflags=all=-dwarf=false -ldflags "$flags" -o "$target.partial" "$(package_of "$program")") \
    >"$target.log" 2>&1 || {
    tail -n 40 "$target.log" >&2
    echo "build.sh: $program cannot be built; above is the end of what Go said" >&2
    return 1
  }
  rm "$target.log"
  mv "$target.partial" "$target"
}

# Builds the programs in missing, in sequence: each uses every core most of the time.
build_missing() {
  local go program path built=0 all=${#missing[@]} title="building Kubernetes' programs"
  "$here/go.sh" --on-path >/dev/null || echo "$title: 0 of $all, Go, $SECONDS s" >&2
  go=$("$here/go.sh")
  unset GOROOT  # may belong to another Go
  for program in "${missing[@]}"; do
    path=$(path_of "$program")
    echo "$title: $built of $all, $program, $SECONDS s" >&2
    mkdir -p "${path%/*}"
    (
      flock 9
      if [ ! -x "$path" ]; then build "$program" "$path"; fi
    ) 9>"${path%/*}/.lock"
    built=$((built + 1))
  done
  echo "$title: $built of $all, done, $SECONDS s" >&2
}

programs=()
for program in "$@"; do
  case $program in
    control-plane) programs+=(etcd kube-apiserver kube-controller-manager kubectl) ;;
    node) programs+=(kube-scheduler kubelet kube-proxy coredns) ;;
    *) programs+=("$program") ;;
  esac
done
paths=() missing=()
for program in "${programs[@]}"; do
  path=$(path_of "$program")
  paths+=("$path")
  [ -x "$path" ] || missing+=("$program")
done
if [ "${#missing[@]}" -gt 0 ]; then
  echo "building ${#missing[@]} of Kubernetes' programs from their Go modules (once; minutes);" \
    "KUBEBUILDER_ASSETS=FOLDER takes those that are in FOLDER ..." >&2
  if on_terminal 2; then
    work=$(mktemp -d)
    trap 'end_what_runs; rm -rf "$work"' EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM HUP
    beside "$work" programs=build_missing >&2
  else
    build_missing
  fi
fi
printf '%s\n' "${paths[@]}"
