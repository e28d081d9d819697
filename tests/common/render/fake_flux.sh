#!/bin/sh
# A stand-in for flux: records its arguments in $FAKE_FLUX/calls and does what the entry points
# need. A follower (`flux start` without a command) ends with the codes in $FAKE_FLUX/followers, one
# per start, as if it lost the lead, then with 0 as after a regular end. `flux broker` runs until it
# is stopped. Files there that change its behaviour: no-broker (none starts), bad-end (a broker ends
# with 1), note (of an exception of the job), left (the brokers that have left).
# It refuses the options that the commands of flux-core 0.88 do not have.
{
  printf '[%s]' "$@"
  printf '\n'
} >>"$FAKE_FLUX/calls"

# Ends like a broker that was stopped.
stay() {
  trap 'kill "$child"; exit 129' TERM
  sleep 60 &
  child=$!
  wait "$child"
}

start() {
  [ ! -e "$FAKE_FLUX/no-broker" ] || exit 1
  while [ $# -gt 0 ]; do
    case $1 in
      --wrap=*) shift ;;
      -o) shift 3 ;; # --config FOLDER
      -Slocal-uri=*)
        mkfifo "${1#-Slocal-uri=local://}" # instead of the socket
        shift
        ;;
      -S*) shift ;;
      *) break ;;
    esac
  done
  if [ $# -gt 0 ]; then
    trap 'kill -TERM "$child"' TERM
    exec 4<&0 # a shell gives what it starts with & no input
    "$@" <&4 4<&- &
    child=$!
    exec 4<&-
    wait "$child"
    code=$?
    [ ! -e "$FAKE_FLUX/stay" ] || stay
    [ ! -e "$FAKE_FLUX/bad-end" ] || exit 1
    exit "$code"
  fi
  [ ! -e "$FAKE_FLUX/stay" ] || stay
  code=0
  if [ -s "$FAKE_FLUX/followers" ]; then
    read -r code <"$FAKE_FLUX/followers"
    sed -i 1d "$FAKE_FLUX/followers"
  else
    echo 7 >"${viewbase:?}/flux-operator-ended.txt"
  fi
  exit "$code"
}

refuse() {
  echo "flux $called: error: unrecognized arguments: $1" >&2
  exit 2
}

# Runs the job at once. `flux job` later reports its highest exit code, and `flux job attach` its
# output.
submit() {
  output=$FAKE_FLUX/output
  error=/dev/stderr
  case $called in run | alloc) output=/dev/stdout ;; esac
  while [ $# -gt 0 ]; do
    case $1 in
      --output=kvs) ;;
      --output=*) output=${1#--output=} ;;
      --error=*) error=${1#--error=} ;;
      --watch)
        case $called in submit | bulksubmit) output=/dev/stdout ;; *) refuse "$1" ;; esac
        ;;
      -v*) [ "$called" != batch ] || refuse "$1" ;;
      -o | -x | -c | -g) shift ;;
      -*) ;;
      *) break ;;
    esac
    shift
  done
  if [ "$output" = /dev/stdout ]; then
    "$@"
  else
    "$@" >"$output" 2>>"$error" # which may be a file that has more already
  fi
  code=$?
  [ "$code" -eq 0 ] || echo "$code" >"$FAKE_FLUX/code"
  [ "$output" != "$FAKE_FLUX/output" ] || {
    echo f123
    return 0
  }
  return "$code"
}

worst() {
  code=0
  [ ! -e "$FAKE_FLUX/code" ] || read -r code <"$FAKE_FLUX/code"
  exit "$code"
}

called=$1
shift
case $called in
  start) start "$@" ;;
  broker) stay ;;
  exec)
    shift 3 # -n -r all
    "$@"
    ;;
  submit | bulksubmit | run | alloc | batch) submit "$@" ;;
  job)
    case $1 in
      attach) cat "$FAKE_FLUX/output" ;;
      eventlog) echo finish ;;
      status) [ "$2" != --json ] || echo "{$(cat "$FAKE_FLUX/note" 2>/dev/null)}" ;;
    esac
    worst
    ;;
  kvs)
    case $1 in
      get) cat "$FAKE_FLUX/left" ;;
      ls) exit 1 ;; # no such key
    esac
    ;;
  jobs) echo f124 ;;
  config) echo "$FAKE_FLUX/initrc.lua" ;; # builtin shell_initrc
  proxy)
    shift
    "$@"
    ;;
  R)
    [ ! -e "$FAKE_FLUX/no-R" ] || exit 1
    echo '{"version": 1, "execution": {"R_lite": [{"rank": "0", "children": {"core": "0-15"}}]}}'
    ;;
  *) ;;
esac
