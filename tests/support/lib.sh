# For scripts of the tests and the demo; sourced.
# shellcheck shell=bash

# A loopback port that nobody listens on, below the range that the kernel hands to clients. Another
# program may still take it before ours does.
free_port() {
  local port
  for _ in $(seq 100); do
    port=$((20000 + RANDOM % 12000))
    (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || {
      echo "$port"
      return
    }
  done
  echo "no free loopback port found" >&2
  return 1
}

# until_true TENTHS COMMAND...: polls ten times a second until TENTHS tenths of a second have gone
# by; fails when the command never succeeds.
until_true() {
  local end=$(($(date +%s%N) / 100000000 + $1))
  shift
  while ! "$@"; do
    [ $(($(date +%s%N) / 100000000)) -lt "$end" ] || return 1
    sleep 0.1
  done
}

# sign CA FILE SUBJECT EXTENSIONS: FILE.key and FILE.crt, by CA.key and CA.crt.
sign() {
  openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj "$3" \
    -keyout "$2.key" -out "$2.csr" 2>/dev/null
  openssl x509 -req -in "$2.csr" -CA "$1.crt" -CAkey "$1.key" -CAcreateserial -days 2 \
    -extfile <(printf '%s\n' "$4") -out "$2.crt" 2>/dev/null
  rm "$2.csr"
}

# alone PRESET COMMAND...: one at a time in the folder of a build, whoever else builds there.
alone() {
  local preset=$1
  shift
  mkdir -p build
  (
    flock 9
    "$@"
  ) 9>"build/$preset.lock"
}

# closing LOG STATUS: from what a program of tests printed and its exit code how many passed and how many
# failed, as two numbers, by its last line `N passed, N failed`; fails where LOG has no such line.
closing() {
  local line bad
  line=$(grep -E '^[0-9]+ passed, [0-9]+ failed$' "$1" | tail -n 1)
  [[ $line =~ ^([0-9]+)\ passed,\ ([0-9]+) ]] || return 1
  bad=${BASH_REMATCH[2]}
  [ "$2" = 0 ] || [ "$bad" -gt 0 ] || bad=1
  echo "${BASH_REMATCH[1]} $bad"
}

# report FILE: GoogleTest's report in JSON. Where something failed outside of every test, 1.12 leaves
# out a comma.
report() { sed 's/^    }    {$/    },    {/' "$1"; }

# slowest REPORT NUMBER: the tests that took longest, one a line.
slowest() {
  report "$1" | jq -r --argjson number "$2" '
    [.testsuites[] | .testsuite[] | select(.status == "RUN") |
      {name: (.classname + "." + .name), took: (.time | rtrimstr("s") | tonumber)}] |
    sort_by(-.took)[:$number][] | "\(.took * 10 | round / 10) s  \(.name)"'
}

# In jq: what a test that was skipped needs here and has not; "" where nothing is missing.
lacks='
  def lacks:
    if .result != "SKIPPED" then ""
    elif ((.classname // "") | startswith("Kueue")) then
      (if (env.MINICLUSTER_KUEUE // "") == "" then "Kueue" else "" end)
    elif (env.MINICLUSTER_FLUX // "") == "" then "Flux"
    else "" end;'

# counted REPORT: from GoogleTest's report in JSON how many tests passed and how many failed, as two
# numbers; fails where there is no such report. What was skipped has failed, for what cannot be tested
# here is not registered; but without MINICLUSTER_FLUX, and in suites Kueue* without MINICLUSTER_KUEUE,
# it is neither (skipped REPORT NAME tells how many there are for Flux or Kueue). A failure outside of
# every test is one more test that failed.
counted() {
  [ -s "$1" ] || return 1
  report "$1" | jq -r "$lacks"'
    [.testsuites[].testsuite[] | select(.status == "RUN" and lacks == "")] |
    (map(select(.failures or .result == "SKIPPED")) | length) as $bad |
    "\(length - $bad) \($bad)"'
}
skipped() {
  report "$1" | jq --arg name "$2" "$lacks"'
    [.testsuites[].testsuite[] | select(.status == "RUN" and lacks == $name)] | length'
}
