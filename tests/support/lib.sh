# For scripts of the tests and the demo; sourced.
# shellcheck shell=bash

# A free loopback port, below the range that the kernel assigns to clients. Another program may
# still take it first.
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

# until_true TENTHS COMMAND...: polls ten times a second for TENTHS tenths of a second; fails if the
# command never succeeds.
until_true() {
  local end=$(($(date +%s%N) / 100000000 + $1))
  shift
  while ! "$@"; do
    [ $(($(date +%s%N) / 100000000)) -lt "$end" ] || return 1
    sleep 0.1
  done
}

# sign CA FILE SUBJECT EXTENSIONS: creates FILE.key and FILE.crt, signed by CA.key and CA.crt.
sign() {
  openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj "$3" \
    -keyout "$2.key" -out "$2.csr" 2>/dev/null
  openssl x509 -req -in "$2.csr" -CA "$1.crt" -CAkey "$1.key" -days 2 \
    -set_serial "0x$(openssl rand -hex 16)" -extfile <(printf '%s\n' "$4") -out "$2.crt" 2>/dev/null
  rm "$2.csr"
}

# alone PRESET COMMAND...: runs COMMAND with the lock on the build folder.
alone() {
  local preset=$1
  shift
  mkdir -p build
  (
    flock 9
    "$@"
  ) 9>"build/$preset.lock"
}

# closing LOG STATUS: prints the numbers of passed and failed tests of a test program, from the last
# line `N passed, N failed` of its output and its exit code; fails if LOG has no such line.
closing() {
  local line bad
  line=$(grep -E '^[0-9]+ passed, [0-9]+ failed$' "$1" | tail -n 1)
  [[ $line =~ ^([0-9]+)\ passed,\ ([0-9]+) ]] || return 1
  bad=${BASH_REMATCH[2]}
  [ "$2" = 0 ] || [ "$bad" -gt 0 ] || bad=1
  echo "${BASH_REMATCH[1]} $bad"
}

# report FILE: GoogleTest's report in JSON. GoogleTest 1.12 omits a comma after a failure outside of
# every test.
report() { sed 's/^    }    {$/    },    {/' "$1"; }

# slowest REPORT NUMBER: the slowest tests, one per line.
slowest() {
  report "$1" | jq -r --argjson number "$2" '
    [.testsuites[] | .testsuite[] | select(.status == "RUN") |
      {name: (.classname + "." + .name), took: (.time | rtrimstr("s") | tonumber)}] |
    sort_by(-.took)[:$number][] | "\(.took * 10 | round / 10) s  \(.name)"'
}

# In jq: what a skipped test needs and does not have here; "" if nothing is missing.
lacks='
  def lacks:
    if .result != "SKIPPED" then ""
    elif ((.classname // "") | startswith("Kueue")) then
      (if (env.MINICLUSTER_KUEUE // "") == "" then "Kueue" else "" end)
    elif (env.MINICLUSTER_FLUX // "") == "" then "Flux"
    else "" end;'

# counted REPORT: prints the numbers of passed and failed tests in GoogleTest's JSON report; fails
# if there is no report. A skipped test counts as failed, because tests that cannot run here are not
# registered. Exception: without MINICLUSTER_FLUX, and in suites Kueue* without MINICLUSTER_KUEUE,
# it counts as neither (skipped REPORT NAME prints the number for Flux or Kueue). A failure outside
# of every test counts as one more failed test.
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
