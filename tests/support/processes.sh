# For scripts that start programs and stop them by pid; sourced. $dir is the folder for pids/ and
# logs/, with one file per program.
# shellcheck shell=bash disable=SC2154
# shellcheck source=tests/support/lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

die() {
  echo "${0##*/}: $*" >&2
  exit 1
}

# The start of process $1, in ticks since boot; nothing if there is none. Pid and start identify a
# process uniquely, so that `down` never signals another process with a reused pid. A zombie counts
# as ended.
started_at() {
  local stat
  stat=$(cat "/proc/$1/stat" 2>/dev/null) || return 0
  local -a fields
  read -ra fields <<<"${stat##*) }"
  [ "${fields[0]}" = Z ] || echo "${fields[19]}"
}

starting=''
ended_by=''

# The signal handler: ends the script, but not between the start of a program and the recording of
# its pid.
end_by_signal() {
  ended_by=$1
  [ -n "$starting" ] || exit "$1"
}

# undo_if_failed COMMAND: from now on, the script calls COMMAND if it fails or a signal ends it.
undo_if_failed() {
  undo=$1
  trap ended EXIT
  trap 'end_by_signal 130' INT
  trap 'end_by_signal 143' TERM HUP
}
ended() {
  local status=$?
  trap '' INT TERM HUP
  [ "$status" = 0 ] || "$undo"
  exit "$status"
}

# start NAME PROGRAM ARGUMENT...: starts PROGRAM in its own session, so that Ctrl-C reaches only our
# caller.
start() {
  local name=$1
  shift
  starting=$name
  rm -f "$dir/pids/$name"
  (
    pid=$BASHPID
    echo "$pid $(started_at "$pid")" >"$dir/pids/$name" &&
      exec setsid "$@" >"$dir/logs/$name.log" 2>&1 </dev/null
  ) &
  until_true 100 test -s "$dir/pids/$name" || die "$name cannot be started"
  starting=''
  [ -z "$ended_by" ] || exit "$ended_by"
}

running() {
  local pid since
  read -r pid since 2>/dev/null <"$dir/pids/$1" || return 1
  [ -n "$since" ] && [ "$(started_at "$pid")" = "$since" ]
}

signal() {
  local pid _
  read -r pid _ <"$dir/pids/$2"
  kill -s "$1" "$pid" 2>/dev/null || true
}

stopped() { ! running "$1"; }

stop() {
  running "$1" || return 0
  signal TERM "$1"
  until_true 50 stopped "$1" && return 0
  signal KILL "$1"
  until_true 50 stopped "$1" || die "$1 does not end; its folder $dir is left as it is"
}

# bring NAME TENTHS READY: starts a program with start_NAME and waits until it is ready. Retries on
# other ports if it exits (the port was taken) or does not become ready.
bring() {
  local name=$1 tenths=$2 function=${1//-/_}
  for _ in 1 2 3; do
    "start_$function"
    if until_true "$tenths" "$3"; then
      ! running "$name" || return 0
    else
      stop "$name"
    fi
  done
  tail -n 20 "$dir/logs/$name.log" >&2
  die "$name did not become ready; above is the end of its log"
}
