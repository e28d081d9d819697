#!/bin/sh
# submit.sh LABEL WORD...: submits a job by WORD..., `flux submit` or `flux batch` with its flags, shows
# its output as it comes, and ends with its code. LABEL is --label-io, or "". flux-submit(1) can show
# the output too, but without a terminal only after the job, or kilobytes later. Several jobs (--cc) are
# shown one after the other.
# With MINICLUSTER_TASKS the job has this number of tasks on the pods that the flags ask for, each
# with one task: flux-submit(1) has no option for tasks that share cores but --tasks-per-node, which
# flux-pmix does not understand and which needs an even number. The job specification has one (RFC
# 14, tasks.count.total).
# shellcheck disable=SC1091,SC2154
. "${0%/*}/common.sh"

# True for a job's id, with either spelling of its first letter, or as a number. Other lines, such as
# those of --help, are shown.
mc_is_id() {
  case $1 in
    *[!0-9A-Za-zƒ]*) return 1 ;;
    ƒ* | f* | [0-9]*) return 0 ;;
  esac
  return 1
}

# Passes on the standard input to tasks of the job, if there is one (lead.sh). The output has a client
# of its own: this one fails if the job ends before the input, without what the job has printed last.
mc_give_input() {
  [ -n "$mc_stdin" ] || return 0
  read -r mc_line <"$mc_input_file"
  flux job attach "--stdin-ranks=${mc_line##* }" "$mc_job" <&3 >/dev/null 2>&1 3<&- &
}

mc_label=$1
shift
trap 'mc_signalled=1' TERM INT HUP
mc_tasks=${MINICLUSTER_TASKS:-}
unset MINICLUSTER_TASKS
if [ -n "$mc_tasks" ]; then
  mc_flux="$1 $2"
  shift 2
  # A quotation mark in a value is escaped, so only the specification has this text.
  mc_said=$($mc_flux --dry-run "$@" |
    sed "s/\"count\": {\"per_slot\": 1}/\"count\": {\"total\": $mc_tasks}/" | flux job submit)
else
  mc_said=$("$@")
fi
mc_submitted=$?
mc_jobs=
while read -r mc_line; do
  if mc_is_id "$mc_line"; then
    mc_jobs="$mc_jobs $mc_line"
  elif [ -n "$mc_line" ]; then
    printf '%s\n' "$mc_line"
  fi
done <<END
$mc_said
END
printf '%s\n' "$mc_jobs" >"$mc_jobs_file"
[ "$mc_submitted" -eq 0 ] || exit "$mc_submitted"
exec 3<&0
trap mc_signal TERM INT HUP
mc_worst=0
for mc_job in $mc_jobs; do
  mc_give_input
  mc_run flux job attach --read-only ${mc_label:+"$mc_label"} "$mc_job"
  [ "$mc_code" -le "$mc_worst" ] || mc_worst=$mc_code
done
exit "$mc_worst"
