#!/usr/bin/env bash
# Usage: build.sh PROGRAM...
# Prints, one a line, the path of each PROGRAM (etcd, kube-apiserver, kube-controller-manager,
# kube-scheduler, kubelet, kube-proxy, kubectl, coredns, kwok, helm, helm4, kubeconform). A binary in
# KUBEBUILDER_ASSETS is taken as it is; any other is built once from the Go modules pinned beside
# this file and kept in a cache outside the tree, keyed by the modules' checksums.
# MINICLUSTER_KUBERNETES=1.31 takes Kubernetes' programs of that version, pinned in kubernetes-1.31/ (pin.sh).
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
cache=${MINICLUSTER_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/minicluster-operator}

module_of() {
  case $1 in
    coredns | etcd | helm | helm4 | kubeconform | kwok) echo "$1" ;;
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
    coredns) echo github.com/coredns/coredns ;;
    etcd) echo go.etcd.io/etcd/server/v3 ;;
    kwok) echo sigs.k8s.io/kwok/cmd/kwok ;;
    kubeconform) echo github.com/yannh/kubeconform/cmd/kubeconform ;;
    helm) echo helm.sh/helm/v3/cmd/helm ;;
    helm4) echo helm.sh/helm/v4/cmd/helm ;;
    *) echo "k8s.io/kubernetes/cmd/$1" ;;
  esac
}

# Kubernetes programs say their version to each other, so it is stamped as their own build does; Helm 3
# without a cluster assumes the version stamped there.
flags_of() {
  local module=$1 version
  [[ $module = kubernetes-* ]] || module=kubernetes
  version=$(cd "$here/$module" && go list -m -f '{{.Version}}' k8s.io/kubernetes)
  local major minor
  major=${version#v} major=${major%%.*}
  minor=${version#v*.} minor=${minor%%.*}
  local at=k8s.io/component-base/version helm=helm.sh/helm/v3/pkg
  echo "-s -w -X $at.gitVersion=$version -X $at.gitMajor=$major -X $at.gitMinor=$minor" \
    "-X $helm/chartutil.k8sVersionMajor=$major -X $helm/chartutil.k8sVersionMinor=$minor" \
    "-X $helm/lint/rules.k8sVersionMajor=$major -X $helm/lint/rules.k8sVersionMinor=$minor"
}

build() {
  local program=$1 target=$2 module
  module=$(module_of "$program")
  command -v go >/dev/null || {
    echo "build.sh: $program must be built and there is no Go on PATH: install Go 1.21 or newer," \
      "or set KUBEBUILDER_ASSETS to a folder that holds it" >&2
    return 1
  }
  echo "building $program from its Go module (once; minutes) ..." >&2
  local partial=$target.partial.$$
  (cd "$here/$module" && CGO_ENABLED=0 GOFLAGS=-mod=readonly go build -trimpath \
    -ldflags "$(flags_of "$module")" -o "$partial" "$(package_of "$program")")
  mv "$partial" "$target"
}

for program in "$@"; do
  if [ -x "${KUBEBUILDER_ASSETS:-/nonexistent}/$program" ]; then
    echo "$KUBEBUILDER_ASSETS/$program"
    continue
  fi
  module=$(module_of "$program")
  key=$(cat "$here/$module/go.mod" "$here/$module/go.sum" | sha256sum | cut -c1-16)
  folder=$cache/$module-$key
  mkdir -p "$folder"
  (
    flock 9
    [ -x "$folder/$program" ] || build "$program" "$folder/$program"
  ) 9>"$folder/.lock"
  echo "$folder/$program"
done
