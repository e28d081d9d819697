#!/usr/bin/env bash
# Usage: tests/run.sh [--preset dev|asan|tsan] [--build | --unit | --stories] [FILTER]
# Builds, runs the unit tests, brings up a control plane of its own, tells the stories that need one (in
# ctest they have the label integration), takes it down again; with an option it does that part alone.
# FILTER is a regular expression for the names in ctest. With a sanitizer the services and the unit tests
# are built with it, but for tests/pods, whose programs are not ours; of the stories, which are those of
# the dev build and watch the services, Monitoring is told: it has both under load. With tsan there are no
# stories, and of the unit tests those with the label threads.
# Pods run real Flux where MINICLUSTER_FLUX_SOURCE says where its source is (tests/flux/build.sh), or
# MINICLUSTER_FLUX where it is built; else the stand-in, and the stories about Flux itself are left out.
# So are those about Kueue without MINICLUSTER_KUEUE_SOURCE (tests/kueue/build.sh) or MINICLUSTER_KUEUE.
# A story that takes more than STORY_SECONDS (1800) is ended.
# The last line is `N passed, N failed`; the exit code is 1 when anything failed.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=tests/support/beside.sh
. tests/support/beside.sh

preset=dev
unit=yes stories=yes build_only=
while [[ ${1-} == --* ]]; do
  case $1 in
    --preset) preset=${2:?--preset takes dev, asan or tsan} && shift ;;
    --build) build_only=yes ;;
    --unit) stories= ;;
    --stories) unit= ;;
    *) sed -n '2s/^# //p' "$0" >&2 && exit 2 ;;
  esac
  shift
done
filter=${1:-.}
work=$(mktemp -d)
plane=$work/control-plane
flux_build=
left_out_flux=0 left_out_kueue=0  # stories about them
summary=  # the last line; what ends early has failed once

# How ctest is told to choose the unit tests.
case $preset in
  dev) chosen=(-LE integration) ;;
  asan) chosen=(-LE 'integration|pods') ;;
  tsan)
    chosen=(-L threads) stories=
    export TSAN_OPTIONS=suppressions=$PWD/tests/tsan.supp
    # One thread each: one takes minutes, the other has a time to keep.
    export GTEST_FILTER=${GTEST_FILTER:--StateSpace.*:FleetTest.TenThousandMiniClusters*}
    ;;
  *) echo "tests/run.sh: no preset $preset" >&2 && exit 2 ;;
esac

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
  [ "$left_out_flux" = 0 ] || told_left_out "$left_out_flux" "Flux itself" MINICLUSTER_FLUX_SOURCE
  [ "$left_out_kueue" = 0 ] || told_left_out "$left_out_kueue" Kueue MINICLUSTER_KUEUE_SOURCE
  [ -z "$summary" ] || echo "$summary"
  exit "$status"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# apart COMMAND...: in a process group of its own, so that a signal ends us at once and finish() ends
# that group. Its output is not redirected here, or what finish() says would be.
apart() {
  set -m
  "$@" </dev/null &
  set +m
  wait "$!"
}

build() {
  if [ "$preset" = dev ] || [ -n "$stories" ]; then alone dev build_all || return; fi
  [ "$preset" = dev ] || alone "$preset" build_with_sanitizer
}

# Those that the stories start.
build_programs() {
  tests/control_plane/build.sh control-plane kube-scheduler kwok helm helm4 kubeconform
  [ -z "$(kueue_to_build)" ] || tests/kueue/build.sh >/dev/null
}

# Whether there is a source of Kueue and nobody has built it; "" if not. Whoever has a source has the
# stories, or no run at all.
kueue_to_build() {
  [ -n "${MINICLUSTER_KUEUE-}" ] || echo "${MINICLUSTER_KUEUE_SOURCE-}"
}

configure() { cmake --preset dev; }
build_all() { configure && cmake --build --preset dev; }
build_with_sanitizer() {
  cmake --preset "$preset" || return
  local -a targets=(minicluster-webhook minicluster-controller)
  mapfile -t -O 2 targets < <(unit_tests | grep -vx shellcheck | sed 's/^/test_/')
  cmake --build --preset "$preset" --target "${targets[@]}"
}

# Beside ours, in a process group of its own for end_what_runs. Whoever has a source has real Flux, or no
# run at all.
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

# names PRESET ARGUMENT...: of the tests that FILTER and the arguments of ctest choose.
names() {
  local of=$1
  shift
  ctest --preset "$of" -R "$filter" "$@" --show-only=json-v1 | jq -r '.tests[].name'
}

# Names of those that this run has.
unit_tests() { [ -z "$unit" ] || names "$preset" "${chosen[@]}"; }
stories() { [ -z "$stories" ] || names dev -L integration; }

# run PRESET ARGUMENT...: unit tests side by side, those with the label integration one after the
# other. A test that ctest calls failed is noted by name.
run() {
  local of=$1
  local failed=build/$of/Testing/Temporary/LastTestsFailed.log
  shift
  rm -f "$failed"
  apart ctest --preset "$of" -R "$filter" --no-tests=ignore "$@" || true
  [ ! -e "$failed" ] || cut -d: -f2 "$failed" >>"$work/failed"
}

# count PRESET NAME: adds the report of one test to passed and failed. A program that ended badly has
# at least one failure, whatever its report says or if there is none (a crash, a sanitizer's finding
# at the end, a time-out).
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

# slowest_of BUILD...
slowest_of() {
  local build report
  for build; do
    for report in "$build"/reports/*.json; do
      slowest "$report" 10 2>/dev/null || true  # a check made by a shell script has no time
    done
  done
}

./packages.sh

if [ "$preset" != dev ]; then
  ./packages.sh --ci  # clang
  unset MINICLUSTER_FLUX
elif [ -n "$unit" ] && [ -z "${MINICLUSTER_FLUX-}" ] && [ -n "${MINICLUSTER_FLUX_SOURCE-}" ]; then
  start_flux_build
fi
building=(tests=build)
if [ -n "$stories" ] && [ -z "$build_only" ]; then
  alone dev configure >"$work/log"
  [ -z "$(stories)" ] || building+=(programs=build_programs)
fi
echo "building $preset (minutes the first time) ..."
[ "${#building[@]}" = 1 ] || echo "building Kubernetes' programs (those that are in" \
  "KUBEBUILDER_ASSETS=FOLDER are taken from there) ..."
beside "$work" "${building[@]}"
[ -z "$build_only" ] || exit 0
rm -rf build/dev/reports "build/$preset/reports"
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
  apart tests/control_plane/control-plane.sh up "$plane"
  export MINICLUSTER_TEST_CONTROL_PLANE=$plane
  if [ "$preset" != dev ]; then
    export MINICLUSTER_TEST_PROGRAMS=$PWD/build/$preset/bin GTEST_FILTER=${GTEST_FILTER:-Monitoring.*}
  fi
  run dev -L integration --timeout "${STORY_SECONDS:-1800}"
fi

passed=0 failed=0
while IFS= read -r name; do count "$preset" "$name"; done < <(unit_tests)
while IFS= read -r name; do count dev "$name"; done < <(stories)
echo "slowest tests:"
slowest_of build/dev "build/$preset" | sort -u | sort -rn | head -n 10 || true
[ $((passed + failed)) -gt 0 ] || {
  echo "no test matches $filter"
  failed=1
}
summary="$passed passed, $failed failed"
[ "$failed" = 0 ]
