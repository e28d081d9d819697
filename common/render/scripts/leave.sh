#!/bin/sh
# leave.sh: a follower that is signaled to end runs this first, while its broker still runs. The
# jobs on this node cannot continue: it ends them at once, with the words of Flux's own exception
# for a lost node, before Flux finds out, and lead.sh learns who has left. Ends with 0 if there were
# jobs.
# shellcheck disable=SC1091,SC2154,SC3028
. "${0%/*}/common.sh"

mc_host=$(flux getattr hostname) || mc_host=${HOSTNAME:-$(uname -n)}
flux kvs put "$mc_left_key=$mc_host"
mc_jobs=$(flux jobs -n --filter=running --include="$mc_host" -o '{id}')
for mc_job in $mc_jobs; do
  flux job raise --severity=0 --type=node-lost "$mc_job" \
    -- "node failure on $mc_host: its pod was told to end"
done
[ -n "$mc_jobs" ]
