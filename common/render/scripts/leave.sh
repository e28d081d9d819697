#!/bin/sh
# leave.sh: a follower that is signaled to end runs this first, while its broker still runs. With
# spec.drainSeconds, Flux starts no other job on this node, and those that run have this time to end.
# Jobs that still run cannot continue: it ends them, with the words of Flux's own exception for a lost
# node, before Flux finds out, and lead.sh learns who has left. Ends with 0 if there were such jobs.
# shellcheck disable=SC1091,SC2154,SC3028
. "${0%/*}/common.sh"

# mc_running FORMAT: the jobs on this node that run.
mc_running() { flux jobs -n --filter=running --include="$mc_host" -o "$1"; }

# Waits for the jobs of this node to end, and tells of those that do not.
mc_drain() {
  flux resource drain "$(flux getattr rank)" "$mc_drain_reason" # fails if it is drained
  mc_uptime
  mc_until=$((mc_now + mc_drain_seconds * 100))
  for mc_job in $(mc_running '{id}'); do
    mc_uptime
    [ "$mc_now" -lt "$mc_until" ] || break
    flux job wait-event --timeout="$(((mc_until - mc_now) / 100 + 1))s" "$mc_job" clean
  done
  mc_running '{id} ({name:.40})' >"$mc_outlived_file"
}

mc_host=$(flux getattr hostname) || mc_host=${HOSTNAME:-$(uname -n)}
if [ -n "$mc_drain_seconds" ]; then
  mc_drain
  [ -s "$mc_outlived_file" ] || exit 1
fi
flux kvs put "$mc_left_key=$mc_host"
mc_jobs=$(mc_running '{id}')
for mc_job in $mc_jobs; do
  flux job raise --severity=0 --type=node-lost "$mc_job" \
    -- "node failure on $mc_host: its pod was told to end"
done
[ -n "$mc_jobs" ]
