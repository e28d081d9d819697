#!/bin/sh
# batch.sh FILE FLAG...: what the lead's broker runs in batch mode: `flux batch` with the flags
# given, what its script says, from FILE, then its code. The job's id goes to the log, as flux
# prints it.
mc_output=$1
shift
mc_job=$(flux batch --output="$mc_output" "$@") || exit
printf '%s\n' "$mc_job"
flux job status "$mc_job"
mc_code=$?
[ ! -r "$mc_output" ] || cat "$mc_output"
exit "$mc_code"
