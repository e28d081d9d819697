#!/bin/sh
# leave.sh: what a follower that is told to end runs first, beside its broker. The jobs that run here
# cannot go on: they end now, with the words of Flux's own exception for a lost node, and not when
# Flux finds out; and lead.sh finds who has left. Ends with 0 where there were jobs.
# shellcheck disable=SC1091,SC2154,SC3028
mc_dir=${0%/*}
. "$mc_dir/settings.sh"
. "$mc_dir/common.sh"

mc_host=${HOSTNAME:-$(uname -n)}
flux kvs put "$mc_left_key=$mc_host"
mc_jobs=$(flux jobs -n --filter=running --include="$mc_host" -o '{id}')
for mc_job in $mc_jobs; do
  flux job raise --severity=0 --type=node-lost "$mc_job" \
    -- "node failure on $mc_host: its pod was told to end"
done
[ -n "$mc_jobs" ]
