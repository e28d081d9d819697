# For scripts that build things in parallel and show the progress of each; sourced.
# shellcheck shell=bash
# shellcheck source=tests/support/lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

# on_terminal DESCRIPTOR: whether a line written there can be redrawn.
on_terminal() { [ -t "$1" ] && [ "${TERM-dumb}" != dumb ]; }

# how_far LOG: a progress bar, and the numbers in the last line of LOG that has some: `[13/210] ...`
# of ninja, or `3 of 7, NAME, 74 s` of tests/control_plane/build.sh.
how_far() {
  local last all built bar='##########..........'
  last=$(grep -oE '^\[[0-9]+/[0-9]+\]|[0-9]+ of [0-9]+, [^,]*' "$1" | tail -n 1) || true
  [[ $last =~ ([0-9]+)(/| of )([0-9]+)\]?(.*) ]] || {
    echo "[${bar:10}]"
    return
  }
  built=${BASH_REMATCH[1]} all=${BASH_REMATCH[3]}
  echo "[${bar:10 - 10 * built / all:10}] $built of $all${BASH_REMATCH[4]}"
}

# beside FOLDER NAME=FUNCTION...: calls the functions in parallel, each in its own process group
# with its output in FOLDER/NAME.log, until all have succeeded. If one fails, ends the others,
# prints the end of its log and fails. On a terminal, it shows one line for each, redrawn every
# second; elsewhere it prints each line of a log with a progress `N of M`. FOLDER/NAME.status has the
# exit status of a function that has ended: bash forgets that of a child after some thousand others.
beside() {
  local folder=$1 job began=$SECONDS drawn=0
  shift
  local -A groups=() took=() told=()
  for job; do
    : >"$folder/${job%%=*}.log"
    rm -f "$folder/${job%%=*}.status"
    set -m
    {
      trap 'echo "$?" >"$folder/${job%%=*}.status"' EXIT
      "${job#*=}"
    } >>"$folder/${job%%=*}.log" 2>&1 </dev/null &
    set +m
    groups[$job]=$!
  done
  while :; do
    for job in "${!groups[@]}"; do
      took[$job]=$((SECONDS - began))
      ! kill -0 "${groups[$job]}" 2>/dev/null || continue
      has_succeeded "$folder/${job%%=*}.status" || {
        end_what_runs
        grep -vE '^\[[0-9]+/[0-9]+\]' "$folder/${job%%=*}.log" | tail -n 60 || true
        echo "building the ${job%%=*} failed; above is the end of what it said"
        return 1
      }
      unset "groups[$job]"
    done
    tell "$@"
    [ "${#groups[@]}" -gt 0 ] || return 0
    sleep 1 >/dev/null 2>&1 &
    wait -n "$!" "${groups[@]}" 2>/dev/null || true  # a group may have ended meanwhile
  done
}

# has_succeeded FILE: whether it has the exit status 0. A killed function has written none.
has_succeeded() { [ -s "$1" ] && [ "$(cat "$1")" = 0 ]; }

# Only for beside(), whose variables it uses.
# shellcheck disable=SC2154
tell() {
  local job log lines far
  if on_terminal 1; then
    [ "$drawn" = 0 ] || printf '\033[%dA' "$drawn"
    for job; do
      far="[##########] done"
      [ -z "${groups[$job]-}" ] || far=$(how_far "$folder/${job%%=*}.log")
      printf '\r\033[K    %-9s %s, %d s\n' "${job%%=*}" "$far" "${took[$job]}"
    done
    drawn=$#
    return
  fi
  for job; do
    log=$folder/${job%%=*}.log lines=$(wc -l <"$folder/${job%%=*}.log")
    # Not `sed -n 1,0p`, which prints a first line that has come since.
    head -n "$lines" "$log" | tail -n "+$((${told[$job]-0} + 1))" | grep -E '[0-9]+ of [0-9]+, ' || true
    told[$job]=$lines
  done
}

# Ends every process group that a job of this shell leads.
end_what_runs() {
  local group
  for group in $(jobs -p); do
    kill -- "-$group" 2>/dev/null || true
    until_true 100 ended "$group" || kill -s KILL -- "-$group" 2>/dev/null || true
  done
}
ended() { ! kill -0 -- "-$1" 2>/dev/null; }
