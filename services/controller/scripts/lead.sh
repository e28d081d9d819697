#!/bin/sh
# lead.sh WORD...: what the lead's broker runs when enough brokers have joined: WORD..., the user's
# command. It finds out how the command ended, writes that down, and only then tells the followers,
# so that they end too; a follower that was not told waits for the next lead (wait.sh). Where that
# cannot be known, or a follower was lost on the way, nothing is written: the command runs again.
# shellcheck disable=SC1091,SC2154
mc_dir=${0%/*}
. "$mc_dir/settings.sh"
. "$mc_dir/common.sh"

# A client that was killed leaves a job that runs on: its output is shown again, from the start.
mc_watch_again() {
  [ "$mc_code" -ge 128 ] || return 0
  for mc_job in $mc_jobs; do
    case $(flux job eventlog "$mc_job" 2>/dev/null) in
      *finish* | *severity*0*) ;;
      *)
        mc_say "lost sight of job $mc_job, which runs on; its output from the start:"
        mc_run flux job attach --read-only "$mc_job"
        ;;
    esac
  done
}

# The host in Flux's note on a job that lost a node, as mc_lost: `node failure on HOST (...)`.
mc_find_lost() {
  case $1 in
    *'node failure on '*)
      mc_lost=${1#*node failure on }
      mc_lost=${mc_lost%%[!a-zA-Z0-9.-]*}
      ;;
  esac
}

# What a job has ended with is known to Flux; what its client has ended with is not that.
mc_ask_jobs() {
  mc_jobs=
  [ ! -e "$mc_jobs_file" ] || read -r mc_jobs <"$mc_jobs_file"
  if [ -z "$mc_jobs" ]; then
    [ "$mc_code" -lt 128 ] # nothing was submitted: the client has said why, or was killed
    return
  fi
  mc_watch_again
  # shellcheck disable=SC2086 # job ids
  mc_report=$(flux job status --json --exception-exit-code="$mc_code" $mc_jobs 2>/dev/null)
  mc_code=$?
  [ -n "$mc_report" ] || return
  mc_find_lost "$mc_report"
}

# Any of the jobs that a launcher has started, or a submit command of the user's own; where Flux is
# gone, the command may have failed for that.
mc_ask_launcher() {
  mc_report=$(flux jobs -a -c 0 -n -o '{exception.note}' 2>/dev/null) ||
    flux getattr rank >/dev/null 2>&1 || return
  mc_find_lost "$mc_report"
}

# A follower has left, and the command was killed, or its job has an exception, or it is one whose code
# says nothing of that: it may have been the node that it lacked.
mc_find_left() {
  [ -z "$mc_lost" ] || return 0
  case $mc_mode,$mc_report in
    launcher,* | *'"exception_occurred":true'*) ;;
    *) [ "$mc_code" -ge 128 ] || return 0 ;;
  esac
  mc_lost=$(flux kvs get "$mc_left_key" 2>/dev/null)
  return 0
}

# How a command that failed has ended, as mc_code, or mc_lost. False where that is not known.
mc_ask() {
  [ -z "$mc_signalled" ] || return
  case $mc_mode in
    submit | batch) mc_ask_jobs ;;
    *) mc_ask_launcher ;;
  esac || return
  mc_find_left
}

# At most 5 s: a follower that cannot be reached ends with the Job.
mc_tell_followers() {
  # shellcheck disable=SC2016 # for the followers' shells
  mc_within 5 flux exec -n -r all sh -c 'echo "$1" >"$2"' sh "$mc_code" \
    "$mc_mount/flux-operator-ended.txt"
}

exec 3<&0
trap mc_signal TERM INT HUP
mc_lost=
mc_report=
mc_phase quorum
: >"$mc_mount/flux-operator-begun.txt"
# Of an earlier lead, by the archive.
[ -z "$mc_archive" ] || flux kvs unlink -f "$mc_left_key" 2>/dev/null
mc_phase command
mc_run "$@"
[ "$mc_code" -eq 0 ] || mc_ask || exit 1
if [ -n "$mc_lost" ]; then
  printf '%s\n' "$mc_lost" >"$mc_mount/flux-operator-lost.txt"
  exit 1
fi
mc_record "$mc_code" "the command"
# What the broker says of its own end would push the command's words out of the log's end.
[ "$mc_log_level" -gt 6 ] || flux setattr log-stderr-level 0 2>/dev/null
[ -z "$mc_followers" ] || mc_tell_followers
exit "$mc_code"
