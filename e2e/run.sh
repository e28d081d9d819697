#!/usr/bin/env bash
# Usage: e2e/run.sh [--build | FILTER]
# Builds the artifacts of this release (release/artifacts.sh) and of the previous version, starts a
# Kubernetes cluster with one real node, installs the operator only from the artifacts, runs the
# stories (or those that the GoogleTest filter FILTER selects), and stops everything. With --build
# it only builds what they need.
# The pods run Flux: the build in MINICLUSTER_FLUX, or what tests/flux/build.sh builds from the source in
# MINICLUSTER_FLUX_SOURCE or from git. Without a source it fails at once.
# Needs root. The last line is `N passed, N failed`; the exit code is 1 if anything failed.
# With MINICLUSTER_MPI_MATRIX=yes, it also builds the images of every MPI, runs the matrix of them, and
# measures messages between pods (make mpi-matrix).
# With MINICLUSTER_E2E_SIZES=N, the stories of changing sizes have N changes, and the slow stories run
# (make e2e-nodes).
# With MINICLUSTER_E2E_KEEP=DIR the cluster is in DIR: started if there is none, and kept.
# With MINICLUSTER_TEST_GANG=Native, the operator uses PodGroups; the stories about them need it
# (tests/schedulers.sh node).
# With MINICLUSTER_KUBERNETES=1.37, the cluster has that version of Kubernetes (tests/control_plane/build.sh);
# the stories about restarts in place need it (make e2e-nodes).
# MINICLUSTER_E2E_NETWORK is that of the cluster: ipv4 (default), ipv6 or dual. Without a FILTER, the
# stories about the network run on all three.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=tests/support/beside.sh
. tests/support/beside.sh

build_only=
[ "${1-}" != --build ] || { build_only=yes && shift; }
filter=${1:-*}
build=build/ci
images=build/e2e/images
artifacts=build/release-artifacts previous=build/e2e/previous
work=$(mktemp -d)
cluster=${MINICLUSTER_E2E_KEEP:-$work/c} other_cluster=$work/o
passed=0 failed=0
flux_build=''
flux=${MINICLUSTER_FLUX-}  # the folder of Flux
began=$(date +%s)

finish() {
  local status=$?
  trap '' INT TERM HUP
  end_what_runs
  [ -n "${MINICLUSTER_E2E_KEEP-}" ] || e2e/cluster/cluster.sh down "$cluster" || status=1
  e2e/cluster/cluster.sh down "$other_cluster" || status=1
  rm -rf "$work"
  [ "$status" = 0 ] || [ "$failed" -gt 0 ] || failed=1
  echo "e2e: $(($(date +%s) - began)) s"
  echo "$passed passed, $failed failed"
  exit "$status"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# check NAME COMMAND...: runs COMMAND as one check.
check() {
  local name=$1
  shift
  if "$@"; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAILED: $name"
  fi
}

# blob IMAGE: the file in the archive that the descriptor on standard input refers to.
blob() { tar -xOf "$1" "blobs/$(jq -r .digest | tr : /)"; }
config() {
  local manifest
  manifest=$(tar -xOf "$1" index.json | jq '.manifests[0]' | blob "$1")
  jq .config <<<"$manifest" | blob "$1"
}

small_enough() {
  local size
  size=$(stat -c %s "$1")
  echo "${1##*/}: $((size / 1000)) kB"
  [ "$size" -lt $((40 * 1024 * 1024)) ]
}

# Checks an image against its Dockerfile: user, labels, and an SBOM with the linked libraries.
well_made() {
  local image=$1 sbom
  sbom=${1%.oci.tar}-linux-$(dpkg --print-architecture).spdx.json
  config "$image" | jq -e --arg version "$(release/version.sh)" '.config.User == "65532:65532" and
    .config.Labels["org.opencontainers.image.version"] == $version and
    .config.Labels["org.opencontainers.image.licenses"] == "MIT"' >/dev/null &&
    jq -e '.spdxVersion == "SPDX-2.3" and .packages[0].licenseDeclared == "MIT" and
      any(.packages[].name; startswith("libssl"))' "$sbom" >/dev/null
}

artifacts_are_whole() { (cd "$artifacts" && sha256sum --check --quiet SHA256SUMS); }

# In parallel to Kubernetes' images and programs, which are also downloaded.
start_flux_build() {
  tests/flux/build.sh --source 2>/dev/null || no_flux
  setsid tests/flux/build.sh >"$work/flux" </dev/null &
  flux_build=$!
}
# Sets flux.
find_flux() {
  local status=0
  wait "$flux_build" || status=$?
  flux_build=
  [ "$status" != 3 ] || no_flux
  [ "$status" = 0 ] || return "$status"
  flux=$(cat "$work/flux")
}
no_flux() {
  echo "e2e/run.sh: there is no source of Flux, neither by git nor in a folder MINICLUSTER_FLUX_SOURCE" \
    "with flux-core.tar.xz and flux-sched.tar.xz (CONTRIBUTING.md)"
  exit 1
}

cgroup_version() {
  case $(stat -fc %T /sys/fs/cgroup) in
    cgroup2fs) echo 2 ;;
    *) echo 1 ;;
  esac
}

# chosen: the filter for the stories, without those that this run cannot do, and those of mpi-matrix.
chosen() {
  local left_out=
  [ -e "$flux/opt/software/flux/lib/flux/shell/plugins/pmix.so" ] || left_out+=":*Pmix*"
  [ -n "${MINICLUSTER_TEST_GANG-}" ] || left_out+=":*Gang*"
  [ -n "${MINICLUSTER_KUBERNETES-}" ] || left_out+=":*InPlace*" # 1.36 or newer
  [ -n "${MINICLUSTER_MPI_MATRIX-}" ] || left_out+=":*Matrix*:*RealFluxMpiSpeed*"
  [ -n "${MINICLUSTER_E2E_SIZES-}" ] || left_out+=":*.Slow*"
  case $filter in
    *-*) echo "$filter$left_out" ;;
    *) echo "$filter${left_out:+-${left_out#:}}" ;;
  esac
}

# The images with an MPI: those for every run, or all for the matrix.
mpi_images() {
  if [ -n "${MINICLUSTER_MPI_MATRIX-}" ]; then
    echo {openmpi-4,mpich-4,mpi-wheels,intel-mpi}{,-flux}
  else
    echo openmpi-4 mpi-wheels mpi-wheels-flux
  fi
}

chart_in() { echo "$PWD/$1"/minicluster-operator-*.tgz; }

# run_stories NETWORK CLUSTER FILTER ARCHIVE...: on the cluster in CLUSTER, started with that network if
# it is not there, with these images. $work/NETWORK.counts gets how many passed and failed.
run_stories() {
  local cluster=$2 filter=$3 report=$work/$1.json counts
  export MINICLUSTER_E2E_NETWORK=$1
  echo "starting a cluster of one node ($1, cgroup version $(cgroup_version)) ..."
  # As in tests/run.sh.
  [ -e "$cluster/ready" ] || GOGC=400 e2e/cluster/cluster.sh up "$cluster"
  e2e/cluster/cluster.sh load "$cluster" "${@:4}"
  e2e/cluster/cluster.sh exec "$cluster" env \
    MINICLUSTER_TEST_CONTROL_PLANE="$cluster/control-plane" \
    MINICLUSTER_E2E_CHART="$(chart_in "$artifacts")" \
    MINICLUSTER_E2E_PREVIOUS_CHART="$(chart_in "$previous")" \
    "$build/bin/test_e2e" "--gtest_filter=$filter" "--gtest_output=json:$report" || true
  counts=$(MINICLUSTER_FLUX=$flux counted "$report") || {
    echo "FAILED: the stories ended badly; see above"
    return
  }
  echo "$counts" >"$work/$1.counts"
  echo "slowest stories:"
  slowest "$report" 12
}

# on_others NETWORK...: what concerns the network.
on_others() {
  local network
  for network; do
    run_stories "$network" "$other_cluster" 'Install.HelmTestPasses:RealFluxNodes.AnMpi*:RealFluxNodes.PodsOn*' \
      "$images"/{pause,helm-test,mpi-wheels-flux}.tar "$artifacts"/*.tar
    e2e/cluster/cluster.sh down "$other_cluster"
  done
}

# Adds the stories on NETWORK... to passed and failed.
count_stories() {
  local network good bad
  for network; do
    read -r good bad <"$work/$network.counts" || good=0 bad=1
    passed=$((passed + good)) failed=$((failed + bad))
  done
}

[ -n "$flux" ] || start_flux_build
./packages.sh --e2e
rm -f "$artifacts"/*.tgz "$previous"/*.tgz
echo "building the stories and the images (many minutes the first time) ..."
build_stories() { cmake --preset ci && cmake --build --preset ci --target test_e2e; }
alone ci build_stories >"$work/log" 2>&1 || {
  tail -n 40 "$work/log"
  exit 1
}
release/artifacts.sh "$artifacts"
release/previous.sh "$previous"
e2e/images/build.sh "$images" pause application helm-test
[ -n "$flux" ] || find_flux
# shellcheck disable=SC2046 # one word per image
e2e/images/build.sh --flux "$flux" "$images" flux flux-view $(mpi_images)
tests/control_plane/build.sh control-plane node helm device-plugin containerd containerd-shim-runc-v2 \
  ${MINICLUSTER_E2E_SIZES:+prometheus-adapter} >/dev/null
[ -z "$build_only" ] || exit 0
for image in "$artifacts"/*"-$(release/version.sh).oci.tar"; do
  check "$image is under 40 MiB" small_enough "$image"
  check "$image is made as its Dockerfile says" well_made "$image"
done
check "the artifacts are what SHA256SUMS says" artifacts_are_whole
network=${MINICLUSTER_E2E_NETWORK:-ipv4}
others=()
if [ "$filter" = '*' ] && [ -z "${MINICLUSTER_E2E_KEEP-}" ]; then
  for other in ipv4 ipv6 dual; do
    [ "$other" = "$network" ] || others+=("$other")
  done
fi
# At the same time, because stories mostly wait.
set -m
on_others "${others[@]}" >"$work/others.log" 2>&1 </dev/null &
set +m
others_group=$!
run_stories "$network" "$cluster" "$(chosen)" "$images"/*.tar "$artifacts"/*.tar "$previous"/*.tar
wait "$others_group" || true  # counted below
cat "$work/others.log"
count_stories "$network" "${others[@]}"
[ "$failed" = 0 ]
