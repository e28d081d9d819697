#!/bin/sh
# batch.sh FILE FLAG...: the lead's broker runs this in batch mode. It runs `flux batch` with the
# flags, prints the job's id as flux prints it, then the output of the job as it comes, and ends
# with its code. Afterwards FILE has the output. The output comes through Flux and not through a
# file, because the job may run on another pod.
# shellcheck disable=SC1091,SC2154
. "${0%/*}/common.sh"

mc_output=$1
shift
mc_job=$(flux batch --output=kvs "$@") || exit
printf '%s\n' "$mc_job" >"$mc_jobs_file"
printf '%s\n' "$mc_job"
flux job attach --read-only "$mc_job"
mc_code=$?
! mc_owns "$FLUX_OUTPUT_DIR/.minicluster-lead" ||
  flux job attach --read-only "$mc_job" >"$mc_output" 2>/dev/null
exit "$mc_code"
