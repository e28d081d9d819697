#!/bin/sh
# lead.sh WORD...: the lead's broker runs this when enough brokers have joined. It runs WORD..., the
# user's command, finds out how it ended, records that, and only then informs the followers, so that
# they end too; a follower that is not informed waits for the next lead (broker.sh). If the end is not
# known, or a follower was lost, nothing is recorded and the command runs again.
# shellcheck disable=SC1091,SC2154
. "${0%/*}/common.sh"

# If its client was killed, a job keeps running: shows its output again, from the start.
mc_watch_again() {
  [ "$mc_code" -ge 128 ] || return 0
  for mc_job in $mc_jobs; do
    case $(flux job eventlog "$mc_job" 2>/dev/null) in
      *finish* | *severity*0*) ;;
      *)
        mc_say "lost the connection to job $mc_job, which is still running; its output from the start:"
        mc_run flux job attach --read-only "$mc_job"
        ;;
    esac
  done
}

# Sets mc_lost to the host in Flux's note on a job that lost a node: `node failure on HOST (...)`.
mc_find_lost() {
  case $1 in
    *'node failure on '*)
      mc_lost=${1#*node failure on }
      mc_lost=${mc_lost%%[!a-zA-Z0-9.-]*}
      ;;
  esac
}

# Asks Flux how the jobs ended: the exit code of their client may differ.
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

# Checks all jobs that a launcher, or a submit command of the user, has started. If Flux is gone, the
# command may have failed because of that.
mc_ask_launcher() {
  mc_report=$(flux jobs -a -c 0 -n -o '{exception.note}' 2>/dev/null) ||
    flux getattr rank >/dev/null 2>&1 || return
  mc_find_lost "$mc_report"
}

# Sets mc_lost to a follower that has left, if the command may have failed because of that: it was
# killed, its job has an exception, or it is a launcher, whose code does not say.
mc_find_left() {
  [ -z "$mc_lost" ] || return 0
  case $mc_mode,$mc_report in
    launcher,* | *'"exception_occurred":true'*) ;;
    *) [ "$mc_code" -ge 128 ] || return 0 ;;
  esac
  mc_lost=$(flux kvs get "$mc_left_key" 2>/dev/null)
  return 0
}

# Finds out how a failed command ended: sets mc_code, or mc_lost. False if that is not known.
mc_ask() {
  [ -z "$mc_signalled" ] || return
  case $mc_mode in
    submit | batch) mc_ask_jobs ;;
    *) mc_ask_launcher ;;
  esac || return
  mc_find_left
}

# After the end of a job that was told to save its state the command is to run again. Sets mc_lost to the
# follower because of which that was.
mc_find_saved() {
  [ -n "$mc_checkpoint_seconds" ] || return 0
  [ ! -e "$mc_saving_file" ] || exit 1 # broker.sh says why
  for mc_job in $(flux kvs ls -1 "$mc_saved_key" 2>/dev/null); do
    mc_lost=$(flux kvs get "$mc_saved_key.$mc_job" 2>/dev/null)
  done
}

# A job that Flux refused because it needs more than there is: says how much there is.
mc_explain_refusal() {
  case $mc_report in *unsatisfiable*) ;; *) return 0 ;; esac
  mc_has=$(flux resource list -s all -n -o '{nnodes} pods with {ncores} cores and {ngpus} GPUs') ||
    return 0
  printf 'minicluster: error: %s\n' "Flux has $mc_has in all, and a job asked for more. The cores of a pod are those of its CPU limit, or of its node with spec.flux.coresFrom: Node." >&2
}

# Sets mc_alone to the number of tasks of a job that were MPI programs on their own, and mc_library
# to their MPI library (singletons.sh).
mc_find_alone() {
  mc_alone=
  for mc_job in $(flux kvs ls -1 minicluster.alone 2>/dev/null); do
    mc_count=0
    for mc_task in $(flux kvs ls -1 "minicluster.alone.$mc_job"); do mc_count=$((mc_count + 1)); done
    [ "$mc_count" -gt 1 ] || continue
    mc_alone=$mc_count
    mc_library=$(flux kvs get "minicluster.alone.$mc_job.$mc_task")
  done
}

# A command that ended well has no message of the kubelet's: it can have ours, for the status.
mc_tell_alone() {
  mc_find_alone
  [ -n "$mc_alone" ] || return 0
  [ "$mc_code" -ne 0 ] || mc_tell_kubelet "minicluster singletons=$mc_alone library=$mc_library"
  printf 'minicluster: error: %s\n' "$mc_alone tasks ran as MPI programs of one rank each, because $mc_library cannot find the other tasks. Open MPI 5 needs a Flux view with flux-pmix." >&2
}

# Takes at most 5 s: a follower that cannot be reached ends with the Job.
mc_tell_followers() {
  # shellcheck disable=SC2016 # for the followers' shells
  mc_within 5 flux exec -n -r all sh -c 'echo "$1" >"$2"' sh "$mc_code" \
    "$mc_mount/flux-operator-ended.txt"
}

# Waits for the client of the standard input (`stdin`), whose first line says which tasks get what
# follows: `minicluster input RANKS`; `gone` if an earlier lead has got it. False without a client:
# nobody would end the input, or the command would have a part of it.
mc_take_input() {
  [ -n "$mc_stdin" ] || return 0
  rm -f "$mc_input_file"
  exec 4<&3
  # shellcheck disable=SC2016 # for that shell, whose `read` takes no byte more than the line
  mc_within "$mc_input_timeout" sh -c 'read -r mc_line <&4 && printf "%s\n" "$mc_line" >"$1"' sh "$mc_input_file"
  mc_code=$?
  exec 4<&-
  mc_line=
  [ ! -s "$mc_input_file" ] || read -r mc_line <"$mc_input_file"
  case $mc_line in
    "minicluster input gone") mc_why="an earlier lead has already read the standard input, which cannot be read twice" ;;
    "minicluster input "*) mc_why= ;;
    *)
      mc_why="the standard input must begin with the line: minicluster input TASKS"
      [ "$mc_code" -ne 137 ] || mc_why="no client has connected to the standard input within $mc_input_timeout s"
      ;;
  esac
  [ -z "$mc_why" ] || return
  echo "minicluster: the command gets the standard input" # the client waits for a word
}

exec 3<&0
mc_input_timeout=${mc_input_timeout:-60}
trap mc_signal TERM INT HUP
# Such a command does not say which jobs it has submitted.
[ "$mc_mode,$mc_user_submit" != submit,1 ] || mc_mode=launcher
mc_lost=
mc_report=
mc_phase quorum
if ! mc_take_input; then
  printf 'minicluster: error: %s\n' "$mc_why" >&2
  mc_record 1 "the wait for the standard input"
  exit 1
fi
: >"$mc_mount/flux-operator-begun.txt"
# Set by an earlier lead, restored from the archive.
[ -z "$mc_archive" ] || flux kvs unlink -Rf "$mc_left_key" minicluster.alone "$mc_saved_key" 2>/dev/null
mc_phase command
mc_run "$@"
mc_find_saved
[ -n "$mc_lost" ] || [ "$mc_code" -eq 0 ] || mc_ask || exit 1
if [ -n "$mc_lost" ]; then
  printf '%s\n' "$mc_lost" >"$mc_mount/flux-operator-lost.txt"
  exit 1
fi
if ! mc_record "$mc_code" "the command"; then # the shell has said why, such as a full disk
  printf 'minicluster: error: %s\n' "cannot record in $mc_end_file that the command ended with code $mc_code, so the command may run again" >&2
  exit 1
fi
mc_explain_refusal
mc_tell_alone
# The broker's messages about its own end would push the command's last lines out of the end of the
# log.
[ "$mc_log_level" -gt 6 ] || flux setattr log-stderr-level 0 2>/dev/null
[ -z "$mc_followers" ] || mc_tell_followers
exit "$mc_code"
