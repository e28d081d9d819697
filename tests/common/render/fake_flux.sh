#!/bin/sh
# A stand-in for flux: records its arguments in $FAKE_FLUX/calls and does what the entry points
# need. A follower (`flux start` without a command) ends with the codes in $FAKE_FLUX/followers, one
# per start, as if it lost the lead, then with 0 as after a regular end. `flux broker` runs until it
# is stopped. Files there that change its behaviour: no-broker (none starts), bad-end (a broker ends
# with 1), after-dump (is run when the archive is written), note (of an exception of the job), left (the brokers that have left).
# It refuses the options that the commands of flux-core 0.88 do not have.

# One write, so that two at once never share a line.
call=$(printf '[%s]' "$@")
printf '%s\n' "$call" >>"$FAKE_FLUX/calls"

# Ends like a broker that was stopped.
stay() {
  trap 'kill "$child"; exit 129' TERM
  sleep 60 &
  child=$!
  wait "$child"
}

start() {
  [ ! -e "$FAKE_FLUX/no-broker" ] || exit 1
  dump=
  while [ $# -gt 0 ]; do
    case $1 in
      --wrap=*) shift ;;
      -o) shift 3 ;; # --config FOLDER
      -Slocal-uri=*)
        mkfifo "${1#-Slocal-uri=local://}" # instead of the socket
        shift
        ;;
      -Scontent.dump=*)
        dump=${1#-Scontent.dump=}
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
    [ -z "$dump" ] || echo "state of $MINICLUSTER_LEAD" >"$dump"
    # shellcheck disable=SC1091
    [ ! -e "$FAKE_FLUX/after-dump" ] || . "$FAKE_FLUX/after-dump"
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
# output. The jobs of a batch are those after f123; `flux jobs` lists them, the last one first.
submit() {
  id=f123
  : >>"$FAKE_FLUX/jobs"
  [ -z "${FAKE_BATCH-}" ] || id=f$((124 + $(grep -c '' "$FAKE_FLUX/jobs")))
  output=$FAKE_FLUX/$id.out
  error=/dev/stderr
  [ -z "${FAKE_BATCH-}" ] || error=$FAKE_FLUX/$id.err
  case $called in run | alloc) output=/dev/stdout ;; batch) export FAKE_BATCH=1 ;; esac
  while [ $# -gt 0 ]; do
    case $1 in
      --output=kvs) ;;
      --output=*) output=${1#--output=} ;;
      --error=*) error=${1#--error=} ;;
      --watch)
        case $called in submit | bulksubmit) output=/dev/stdout ;; *) refuse "$1" ;; esac
        ;;
      -v*) [ "$called" != batch ] || refuse "$1" ;;
      -o | -x | -c | -g | --input) shift ;;
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
  [ "$output" != /dev/stdout ] || return "$code"
  [ "$id" = f123 ] || {
    success=True
    [ "$code" -eq 0 ] || success=False
    listed=$(cat "$FAKE_FLUX/jobs")
    printf '%s %s\n' "$id" "$success${listed:+
$listed}" >"$FAKE_FLUX/jobs"
  }
  echo "$id"
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
      attach)
        for id; do continue; done
        cat "$FAKE_FLUX/$id.out"
        [ ! -e "$FAKE_FLUX/$id.err" ] || cat "$FAKE_FLUX/$id.err" >&2
        ;;
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
  jobs) cat "$FAKE_FLUX/jobs" 2>/dev/null ;;
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
