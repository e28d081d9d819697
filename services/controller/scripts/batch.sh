#!/bin/sh
# batch.sh FILE FLAG...: what the lead's broker runs in batch mode: `flux batch` with the flags given; then
# its job's id, as flux prints it, what its script says, as it comes, and its code. FILE has what it said,
# afterwards. By Flux and not by a file on the way: the job may run on another pod.
# shellcheck disable=SC1091,SC2154
mc_dir=${0%/*}
. "$mc_dir/settings.sh"
. "$mc_dir/common.sh"

mc_output=$1
shift
mc_job=$(flux batch --output=kvs "$@") || exit
printf '%s\n' "$mc_job" >"$mc_jobs_file"
printf '%s\n' "$mc_job"
flux job attach --read-only "$mc_job"
mc_code=$?
flux job attach --read-only "$mc_job" >"$mc_output" 2>/dev/null
exit "$mc_code"
