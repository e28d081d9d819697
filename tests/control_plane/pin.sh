#!/usr/bin/env bash
# Usage: pin.sh VERSION
# Pins another version of Kubernetes (such as 1.31.0) for `make test-versions`: writes
# kubernetes-1.31/ (go.mod, go.sum, tools.go), from which build.sh builds its programs. `go list -m
# -versions k8s.io/kubernetes` lists the available versions.
set -euo pipefail
cd "$(dirname "$0")"

version=${1:?usage: pin.sh VERSION, such as 1.31.0}
[[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] || {
  echo "pin.sh: $version is no MAJOR.MINOR.PATCH" >&2
  exit 2
}
minor=${version%.*}
kubernetes=k8s.io/kubernetes
go=$(./go.sh)
unset GOROOT  # may belong to another Go
upstream=$("$go" mod download -json "$kubernetes@v$version" | jq -r .GoMod)

folder=kubernetes-$minor
rm -rf "$folder"
mkdir "$folder"
cat >"$folder/tools.go" <<END
//go:build tools

// Package tools pins the programs of Kubernetes $minor for make test-versions.
package tools

import (
	_ "$kubernetes/cmd/kube-apiserver"
	_ "$kubernetes/cmd/kube-controller-manager"
	_ "$kubernetes/cmd/kube-proxy"
	_ "$kubernetes/cmd/kube-scheduler"
	_ "$kubernetes/cmd/kubectl"
	_ "$kubernetes/cmd/kubelet"
)
END
# Kubernetes replaces its staging modules with folders of its own tree; they are released
# separately, as 0.31.0.
cd "$folder"
{
  echo "module minicluster-operator/tests/$folder"
  "$go" mod edit -json "$upstream" | jq -r --arg of "$kubernetes" --arg version "$version" '
    "go \(.Go)",
    "require \($of) v\($version)",
    "replace (",
    (.Replace[] | select(.New.Path | startswith("./staging/")) |
      "\(.Old.Path) => \(.Old.Path) v\($version | sub("^1"; "0"))"),
    ")"'
} >go.mod
"$go" mod edit -fmt
"$go" mod tidy
