#!/usr/bin/env bash
# Usage: bench/gate.sh [--update]
# Counts the instructions of one call of each pure part (bench/parts) with callgrind, and compares
# them with bench/instructions.tsv. Unlike times, counts do not depend on the load. Fails if a part
# needs 10 % more than there; --update writes the new counts there, for a change that is worth it.
# The last line is `N passed, N failed`. Counts of another compiler are not comparable: the first
# line of the file names it, and with another one nothing is compared.
set -euo pipefail
cd "$(dirname "$0")/.."

file=bench/instructions.tsv
update=
case ${1-} in
  '') ;;
  --update) update=yes ;;
  *)
    sed -n '2s/^# //p' bench/gate.sh >&2
    exit 2
    ;;
esac

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
./packages.sh --bench
build() { cmake --preset release && cmake --build --preset release --target bench_repeat; }
build >"$work/log" 2>&1 || {
  tail -n 30 "$work/log"
  exit 1
}
program=build/release/bin/bench_repeat
compiler="# $(c++ --version | head -n 1)"

# instructions PART SIZE TIMES: of the whole process.
instructions() {
  valgrind --tool=callgrind --callgrind-out-file=/dev/null "$program" "$@" 2>&1 |
    sed -n 's/.*Collected : *//p'
}

# Per call: preparation and start are in both counts.
per_call() {
  local once many
  once=$(instructions "$1" "$2" 1)
  many=$(instructions "$1" "$2" 11)
  echo $(((many - once) / 10))
}

"$program" >"$work/parts"
while read -r part size; do
  printf '%s\t%s\t%s\n' "$part" "$size" "$(per_call "$part" "$size")"
done <"$work/parts" >"$work/counts"

if [ -n "$update" ]; then
  { echo "$compiler" && cat "$work/counts"; } >"$file"
  echo "wrote $file"
  exit 0
fi
[ "$(head -n 1 "$file")" = "$compiler" ] || {
  echo "$file has counts of another compiler: $(head -n 1 "$file")"
  echo "0 passed, 0 failed"
  exit 0
}
awk -F '\t' '
  NR == FNR { if ($0 !~ /^#/) before[$1 " " $2] = $3; next }
  {
    key = $1 " " $2
    ratio = before[key] > 0 ? $3 / before[key] : 99
    bad = ratio > 1.1
    if (bad) failed++; else passed++
    printf "%s%-24s %6d  %12d instructions, %.3f of before\n", bad ? "FAILED: " : "", $1, $2, $3, ratio
  }
  END {
    if (failed) print "bench/gate.sh --update accepts these counts"
    printf "%d passed, %d failed\n", passed, failed
    exit failed > 0
  }' "$file" "$work/counts"
