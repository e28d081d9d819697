#!/usr/bin/env bash
# Usage: bench/gate.sh [instructions | programs] [--update | --build]
# Fails if something is more than 25 % above the figures that were set once, and says what: a change
# that makes the code simpler may cost something, ten of them may not. Without an argument, both:
#   instructions  of one call of each pure part (bench/parts), of one request to the webhook, and of
#                 the controller for one MiniCluster, counted with callgrind, against
#                 bench/instructions.tsv. Counts do not depend on the load. Counts of another
#                 compiler are not comparable: the first line of the file names it, and with another
#                 one nothing is compared. --update writes all counts there: for another compiler,
#                 with the code that the old ones are of. If one is too high, all are counted again,
#                 and the lower ones count.
#   programs      figures of the released programs against bench/programs.tsv: CPU time as a ratio to
#                 that of a reference in the same run, numbers of requests, memory; no times alone. A
#                 figure that is too high is measured again, up to three times in all, and the lowest
#                 counts.
# --build only builds what they need, and bench_scale. Otherwise the last line is `N passed, N failed`.
set -euo pipefail
cd "$(dirname "$0")/.."

gates=() update="" only_build=""
for argument; do
  case $argument in
    instructions | programs) gates+=("$argument") ;;
    --update) update=yes ;;
    --build) only_build=yes ;;
    *)
      sed -n '2s/^# //p' bench/gate.sh >&2
      exit 2
      ;;
  esac
done
[ "${#gates[@]}" -gt 0 ] || gates=(instructions programs)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# compared BEFORE NOW: two files of names, tabs and figures. Prints a line for each name of BEFORE;
# those more than 25 % above begin with FAILED.
compared() {
  awk -F '\t' '
    /^#/ { next }
    NR == FNR { now[$1] = $2; next }
    !(now[$1] > 0) { printf "FAILED: %s was not measured\n", $1; next }
    {
      ratio = $2 > 0 ? now[$1] / $2 : 99
      printf "%s%-40s %.10g, %.3f of before\n", (ratio > 1.25 ? "FAILED: " : ""), $1, now[$1], ratio
    }' "$2" "$1"
}

# lowest FILE...: of each name, of what was measured.
lowest() {
  awk -F '\t' '$2 > 0 && (!($1 in least) || $2 < least[$1]) { least[$1] = $2 }
    END { for (name in least) printf "%s\t%s\n", name, least[name] }' "$@"
}

# The instructions of the last process under callgrind.
total() { sed -n 's/^totals: //p' "$work/callgrind"; }
# counted PROGRAM COMMAND...: runs COMMAND, which starts $work/counted: PROGRAM under callgrind.
counted() {
  printf '#!/bin/sh\nexec valgrind --tool=callgrind --callgrind-out-file=%s %s "$@"\n' \
    "$work/callgrind" "$PWD/build/release/bin/$1" >"$work/counted"
  chmod +x "$work/counted"
  quietly "${@:2}"
  total
}
# Each takes a number of times last, and prints the instructions of all of them and of the start.
part() { counted bench_repeat "$work/counted" "$@"; }
webhook() {
  counted minicluster-webhook build/release/bin/bench_webhook --send "$2" "$1" "$work/counted" \
    "$work/certificate"
}
controller() {
  counted minicluster-controller build/release/bin/bench_fleet "$work/counted" "$work" "create:$1:1"
}
# per_call FEW MANY COMMAND...: of one of COMMAND's times, without the start.
per_call() {
  local few=$1 many=$2
  shift 2
  echo $((($("$@" "$many") - $("$@" "$few")) / (many - few)))
}
# Some counts have 11,000 instructions once that others lack, which is much of a short call.
part_per_call() {
  local count
  count=$(per_call 1 11 part "$@")
  [ "$count" -gt 20000 ] || count=$(per_call 1 101 part "$@")
  echo "$count"
}
count_instructions() {
  local part size review
  build/release/bin/bench_repeat >"$work/parts"
  while read -r part size; do
    printf '%s %s\t%s\n' "$part" "$size" "$(part_per_call "$part" "$size")"
  done <"$work/parts"
  for review in mutate validate; do
    printf 'webhook, one request: %s\t%s\n' "$review" "$(per_call 100 600 webhook "$review")"
  done
  printf 'controller, one MiniCluster\t%s\n' "$(per_call 20 100 controller)"
}
gate_instructions() {
  local file=bench/instructions.tsv compiler try
  compiler="# $(c++ --version | head -n 1)"
  if [ -z "$update" ] && [ "$(head -n 1 "$file")" != "$compiler" ]; then
    echo "$file has counts of another compiler: $(head -n 1 "$file")"
    return
  fi
  quietly certs/dev-certificates.sh "$work/certificate" 127.0.0.1
  for try in 1 2; do
    count_instructions >"$work/counts-$try"
    lowest "$work"/counts-* >"$work/now"
    compared "$file" "$work/now" | grep -q '^FAILED' || break
  done
  if [ -n "$update" ]; then
    { echo "$compiler" && cat "$work/counts-1"; } >"$file"
  fi
  compared "$file" "$work/now" | tee -a "$work/results"
}

# One run of both programs, into the file $1.
run_programs() {
  quietly bench/webhook/run.sh 0
  quietly bench/fleet/run.sh "$work" create:200:3
  cat build/bench/webhook.tsv "$work/controller.tsv" >"$1"
}
gate_programs() {
  local file=bench/programs.tsv try
  for try in 1 2 3; do
    run_programs "$work/run-$try"
    lowest "$work"/run-* >"$work/now"
    compared "$file" "$work/now" | grep -q '^FAILED' || break
  done
  compared "$file" "$work/now" | tee -a "$work/results"
}

quietly() {
  "$@" >"$work/log" 2>&1 || {
    tail -n 30 "$work/log" >&2
    exit 1
  }
}

quietly ./packages.sh --bench
quietly cmake --preset release
quietly cmake --build --preset release --target bench_repeat bench_webhook bench_fleet bench_scale \
  minicluster-webhook minicluster-controller
quietly tests/control_plane/build.sh control-plane kube-scheduler kwok
quietly bench/webhook/build-reference.sh
[ -z "$only_build" ] || exit 0
: >"$work/results"
for gate in "${gates[@]}"; do "gate_$gate"; done
failed=$(grep -c '^FAILED' "$work/results" || true)
echo "$(($(wc -l <"$work/results") - failed)) passed, $failed failed"
[ "$failed" = 0 ]
