#!/usr/bin/env bash
# Usage: tests/run.sh [--preset ci|asan|tsan] [--build | --unit | --stories] [FILTER]
# Builds, runs the unit tests, starts a private control plane, runs the stories that need one (label
# integration in ctest), and stops it; an option selects one of these parts. FILTER is a regular
# expression for the names in ctest. A sanitizer preset builds the services and the unit tests with
# it, except tests/pods, whose programs are not ours, and tests that measure time. Of the stories,
# which come from the ci build, asan runs only Monitoring, which puts load on both services. tsan
# runs no stories, and only the unit tests with the label threads.
# The stories in tests/pods need MINICLUSTER_FLUX_SOURCE, the folder with Flux's source
# (tests/flux/build.sh), or MINICLUSTER_FLUX, that of its build; those about Kueue need
# MINICLUSTER_KUEUE_SOURCE (tests/kueue/build.sh) or MINICLUSTER_KUEUE. Otherwise they are left out,
# and the end of the output says how many. A story that takes more than STORY_SECONDS (3000) is killed.
# The last line is `N passed, N failed`; the exit code is 1 if anything failed.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=tests/support/beside.sh
. tests/support/beside.sh

usage() {
  sed -n '2s/^# //p' tests/run.sh >&2
  exit 2
}

asked=${GTEST_FILTER-}  # of the caller
preset=ci
unit=yes stories=yes build_only=
while [[ ${1-} == --* ]]; do
  case $1 in
    --preset) preset=${2:?--preset takes ci, asan or tsan} && shift ;;
    --build) build_only=yes ;;
    --unit) stories= ;;
    --stories) unit= ;;
    *) usage ;;
  esac
  shift
done
[ $# -le 1 ] || usage
filter=${1:-.}
flux_build=
left_out_flux=0 left_out_kueue=0  # stories about them
summary=  # the last line; a run that ends early counts one failure

# The arguments with which ctest selects the unit tests.
case $preset in
  ci) chosen=(-LE integration) ;;
  asan)
    chosen=(-LE 'integration|pods')
    # Time limits mean nothing with sanitizers, and EveryString mostly runs shells.
    export GTEST_FILTER=${GTEST_FILTER:--*InTime*:*InProportion*:EveryString.*}
    ;;
  tsan)
    chosen=(-L threads) stories=
    export TSAN_OPTIONS=suppressions=$PWD/tests/tsan.supp
    # Single-threaded: they take minutes, or have a time limit.
    export GTEST_FILTER=${GTEST_FILTER:--StateSpace.*:FleetTest.TenThousandMiniClusters*:Hostile.*}
    ;;
  *) echo "tests/run.sh: no preset $preset" >&2 && exit 2 ;;
esac

work=$(mktemp -d)
plane=$work/control-plane

told_left_out() {
  echo "$1 stories about $2 WERE LEFT OUT; make test with $3=FOLDER, where its source is, has them" \
    "(CONTRIBUTING.md)"
}

finish() {
  local status=$?
  trap '' INT TERM HUP
  end_what_runs
  tests/control_plane/control-plane.sh down "$plane" || status=1
  rm -rf "$work"
  [ -n "$summary" ] || [ "$status" = 0 ] || summary="0 passed, 1 failed"
  [ "$left_out_flux" = 0 ] || told_left_out "$left_out_flux" Flux MINICLUSTER_FLUX_SOURCE
  [ "$left_out_kueue" = 0 ] || told_left_out "$left_out_kueue" Kueue MINICLUSTER_KUEUE_SOURCE
  [ -z "$summary" ] || echo "$summary"
  exit "$status"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# apart COMMAND...: runs COMMAND in its own process group, so that a signal ends this script at once
# and finish() ends that group. Do not redirect its output here: that would redirect finish() too.
apart() {
  set -m
  "$@" </dev/null &
  set +m
  wait "$!"
}

build() {
  if [ "$preset" = ci ] || [ -n "$stories" ]; then alone ci build_all || return; fi
  [ "$preset" = ci ] || alone "$preset" build_with_sanitizer
}

# The programs that the stories start.
build_programs() {
  tests/control_plane/build.sh control-plane kube-scheduler kwok helm helm4 kubeconform kstatus
  tests/support/python-packages.sh sdk tests/integration/sdk/requirements.txt >/dev/null
  tests/support/python-packages.sh workflows tests/pods/workflows/{build,requirements}.txt >/dev/null
  [ -z "$(kueue_to_build)" ] || tests/kueue/build.sh >/dev/null
}

# Non-empty if there is a source of Kueue that is not built yet. If there is a source, a failed
# build fails the run.
kueue_to_build() {
  [ -n "${MINICLUSTER_KUEUE-}" ] || echo "${MINICLUSTER_KUEUE_SOURCE-}"
}

configure() { cmake --preset ci; }
build_all() { configure && cmake --build --preset ci; }
build_with_sanitizer() {
  cmake --preset "$preset" || return
  local -a targets=(minicluster-webhook minicluster-controller)
  mapfile -t -O 2 targets < <(programs)
  cmake --build --preset "$preset" --target "${targets[@]}"
}

# In parallel to our build, in its own process group for end_what_runs. If there is a source, a
# failed build of Flux fails the run.
start_flux_build() {
  set -m
  tests/flux/build.sh >"$work/flux" 2>"$work/flux.log" </dev/null &
  flux_build=$!
  set +m
}
find_flux() {
  wait "$flux_build" || {
    cat "$work/flux.log"
    exit 1
  }
  MINICLUSTER_FLUX=$(cat "$work/flux")
  export MINICLUSTER_FLUX
}

# names PRESET ARGUMENT...: the names of the tests that FILTER and the arguments of ctest select.
names() {
  local of=$1
  shift
  ctest --preset "$of" -R "$filter" "$@" --show-only=json-v1 | jq -r '.tests[].name'
}

# The targets of the unit tests in this run: a check by a shell script has none.
programs() {
  ctest --preset "$preset" -R "$filter" "${chosen[@]}" --show-only=json-v1 |
    jq -r '.tests[]
      | select(any(.properties[]; .name == "LABELS" and (.value | index("shell"))) | not)
      | "test_" + .name'
}

# The names of the tests in this run.
unit_tests() { [ -z "$unit" ] || names "$preset" "${chosen[@]}"; }
stories() { [ -z "$stories" ] || names ci -L integration; }

# run PRESET ARGUMENT...: runs unit tests in parallel, those with the label integration in sequence.
# Records the names of the tests that ctest reports as failed.
run() {
  local of=$1
  local failed=build/$of/Testing/Temporary/LastTestsFailed.log
  shift
  rm -f "$failed"
  apart ctest --preset "$of" -R "$filter" --no-tests=ignore "$@" || true
  [ ! -e "$failed" ] || cut -d: -f2 "$failed" >>"$work/failed"
}

# count PRESET NAME: adds the report of one test to passed and failed. A program that failed counts
# at least one failure, even if its report has none or is missing (a crash, a sanitizer's finding at
# exit, a timeout).
count() {
  local report=build/$1/reports/$2.json name=$2 good bad whole=yes
  read -r good bad < <(counted "$report") || good=0 bad=0 whole=
  if [ "$bad" = 0 ] && { [ -z "$whole" ] || grep -qx "$name" "$work/failed"; }; then
    bad=1
    echo "FAILED: $name (the program itself; see above)"
  fi
  passed=$((passed + good)) failed=$((failed + bad))
  [ -z "$whole" ] || {
    left_out_flux=$((left_out_flux + $(skipped "$report" Flux)))
    left_out_kueue=$((left_out_kueue + $(skipped "$report" Kueue)))
  }
}

# The reports of the tests in this run.
reports() {
  unit_tests | sed "s|.*|build/$preset/reports/&.json|"
  stories | sed "s|.*|build/ci/reports/&.json|"
}
slowest_of_all() {
  local report
  for report in "${reports[@]}"; do
    slowest "$report" 10 2>/dev/null || true  # a check by a shell script has no time
  done
}

./packages.sh

if [ "$preset" != ci ]; then
  ./packages.sh --ci  # clang
  unset MINICLUSTER_FLUX
elif [ -n "$unit" ] && [ -z "${MINICLUSTER_FLUX-}" ] && [ -n "${MINICLUSTER_FLUX_SOURCE-}" ]; then
  start_flux_build
fi
building=(tests=build)
if [ -n "$stories" ] && [ -z "$build_only" ]; then
  alone ci configure >"$work/log"
  [ -z "$(stories)" ] || building+=(programs=build_programs)
fi
echo "building $preset (minutes the first time) ..."
[ "${#building[@]}" = 1 ] || echo "building Kubernetes' programs (those that are in" \
  "KUBEBUILDER_ASSETS=FOLDER are taken from there) ..."
beside "$work" "${building[@]}"
[ -z "$build_only" ] || exit 0
mapfile -t reports < <(reports)
rm -f "${reports[@]}"  # no others: a run of another preset may be under way
: >"$work/failed"

[ -z "$flux_build" ] || find_flux
unset KUBECONFIG
echo "running the tests ..."
[ -z "$unit" ] || run "$preset" "${chosen[@]}" -j3 --timeout 900
if [ -n "$(stories)" ]; then
  if [ -n "$(kueue_to_build)" ]; then
    MINICLUSTER_KUEUE=$(tests/kueue/build.sh)
    export MINICLUSTER_KUEUE
  fi
  echo "starting a control plane ..."
  # A tenth of the work of Kubernetes' programs is collecting garbage. (bench/ measures them as they are.)
  GOGC=400 apart tests/control_plane/control-plane.sh up "$plane"
  export MINICLUSTER_TEST_CONTROL_PLANE=$plane
  if [ "$preset" != ci ]; then
    export MINICLUSTER_TEST_PROGRAMS=$PWD/build/$preset/bin GTEST_FILTER=${asked:-Monitoring.*}
  elif [ -z "${MINICLUSTER_TEST_RUNTIME_CONFIG-}" ]; then
    export GTEST_FILTER=${asked:--*Gang*}  # needs PodGroups (tests/schedulers.sh)
  fi
  run ci -L integration --timeout "${STORY_SECONDS:-3000}"
fi

passed=0 failed=0
while IFS= read -r name; do count "$preset" "$name"; done < <(unit_tests)
while IFS= read -r name; do count ci "$name"; done < <(stories)
echo "slowest tests:"
slowest_of_all | sort -rn | head -n 10 || true
[ $((passed + failed)) -gt 0 ] || {
  echo "no test matches $filter"
  failed=1
}
summary="$passed passed, $failed failed"
[ "$failed" = 0 ]
