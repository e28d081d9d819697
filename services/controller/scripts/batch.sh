#!/bin/sh
# batch.sh FILE FLAG...: what the lead's broker runs in batch mode: `flux batch` with the flags
# given, what its script says, from FILE, then its code. The job's id goes to the log, as flux
# prints it.
# shellcheck disable=SC1091,SC2154
mc_dir=${0%/*}
. "$mc_dir/settings.sh"
. "$mc_dir/common.sh"

mc_output=$1
shift
mc_job=$(flux batch --output="$mc_output" "$@") || exit
printf '%s\n' "$mc_job" >"$mc_jobs_file"
printf '%s\n' "$mc_job"
flux job status "$mc_job"
mc_code=$?
[ ! -r "$mc_output" ] || cat "$mc_output"
exit "$mc_code"
