#!/usr/bin/env bash
# Usage: tests/fuzz/run.sh [--total SECONDS] [TARGET...]
# Runs the fuzzers of tests/fuzz (default: all), two at a time, $FUZZ_SECONDS (600) each. With
# --total, all of them together take about SECONDS, and each begins with the same inputs in every
# run. Inputs that a fuzzer generates are kept in build/fuzz/corpus/TARGET for the next run. An
# input that breaks a property is saved in build/fuzz/found/TARGET, and the command that replays it
# is printed. Fix the bug and add the input to tests/fuzz/corpus/TARGET as a regression test.
# The last line is `N passed, N failed`, in targets; the exit code is 1 if anything failed.
set -euo pipefail
cd "$(dirname "$0")/../.."

each=${FUZZ_SECONDS:-600} total='' seed=0
if [ "${1-}" = --total ]; then
  total=${2:?--total takes seconds} seed=1
  shift 2
fi
./packages.sh --ci
echo "building the fuzzers (minutes the first time) ..."
mkdir -p build/fuzz
cmake --preset asan >/dev/null
cmake --build --preset asan --target fuzzers >build/fuzz/build.log || {
  cat build/fuzz/build.log
  echo "0 passed, 1 failed"
  exit 1
}

targets=("$@")
[ "${#targets[@]}" -gt 0 ] || mapfile -t targets < <(ls tests/fuzz/corpus)
if [ -n "$total" ]; then
  each=$((total * 2 / ${#targets[@]}))
  [ "$each" -gt 0 ] || each=1
fi

# one TARGET: runs the fuzzer; its output and exit code are saved in build/fuzz/log.
one() {
  local target=$1 status=0
  local learnt=build/fuzz/corpus/$target found=build/fuzz/found/$target
  local seeds=("$learnt" "tests/fuzz/corpus/$target")
  case $target in minicluster | manifest) seeds+=(examples) ;; esac
  mkdir -p "$learnt" "$found" build/fuzz/log
  "build/asan/bin/fuzz_$target" -seed="$seed" -max_total_time="$each" -timeout=60 -rss_limit_mb=2048 -max_len=16384 \
    -len_control=50 -print_final_stats=1 -artifact_prefix="$found/" "${seeds[@]}" \
    >"build/fuzz/log/$target" 2>&1 </dev/null || status=$?
  echo "$status" >"build/fuzz/log/$target.status"
}
export -f one
export each seed

# Prints the result; fails if something was found.
told() {
  local target=$1 log=build/fuzz/log/$1 runs coverage
  runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
  coverage=$(grep -o 'cov: [0-9]*' "$log" | tail -n 1)
  if [ "$(cat "$log.status")" = 0 ]; then
    echo "$target: ${runs:-0} inputs, ${coverage:-cov: 0} edges"
    return
  fi
  echo "FAILED: $target"
  grep -E 'does not hold|ERROR: |runtime error|SUMMARY' "$log" || tail -n 20 "$log"
  sed -n "s|.*Test unit written to \(.*\)|again: build/asan/bin/fuzz_$target \1|p" "$log"
  return 1
}

printf '%s\n' "${targets[@]}" | xargs -P 2 -I{} bash -c 'one {}'
passed=0 failed=0
for target in "${targets[@]}"; do
  if told "$target"; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
