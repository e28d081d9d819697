#!/bin/sh
# leave.sh: a follower that is signaled to end runs this first, while its broker still runs. With
# spec.drainSeconds, Flux starts no other job on this node, and those that run have this time to end. With
# spec.preemptible.checkpoint, they are then told to save their state. Jobs that still run cannot continue:
# it ends them, with the words of Flux's own exception for a lost node, before Flux finds out, and lead.sh
# learns who has left. Ends with 0 if there were such jobs.
# shellcheck disable=SC1091,SC2154,SC3028
. "${0%/*}/common.sh"

# Whether the jobs have time left. Sets mc_left to these seconds.
mc_time_is_left() {
  mc_uptime
  mc_left=$(((mc_until - mc_now) / 100 + 1))
  [ "$mc_now" -lt "$mc_until" ]
}

# Waits for the jobs of this node to end, and tells of those that do not. Flux lists a job with a delay,
# also one that the scheduler placed here just before the drain. So the node is idle only if two lists,
# one second apart, are empty.
mc_drain() {
  printf '' >"$mc_mount/config/etc/flux/minicluster/leaving" # rc1.sh does not undrain any more
  flux resource drain "$(flux getattr rank)" "$mc_drain_reason" # fails if it is drained
  mc_uptime
  mc_until=$((mc_now + mc_drain_seconds * 100))
  mc_was_idle=
  while mc_time_is_left; do
    mc_jobs=$(mc_running '{id}')
    for mc_job in $mc_jobs; do
      ! mc_time_is_left || flux job wait-event --timeout="${mc_left}s" "$mc_job" clean
    done
    if [ -n "$mc_jobs" ]; then
      mc_was_idle=
    elif [ -z "$mc_was_idle" ]; then
      mc_was_idle=1
      sleep 1
    else
      break
    fi
  done
  mc_running '{id} ({name:.40})' >"$mc_outlived_file"
}

mc_host=$(flux getattr hostname) || mc_host=${HOSTNAME:-$(uname -n)}
if [ -n "$mc_drain_seconds" ]; then
  mc_drain
  [ -s "$mc_outlived_file" ] || exit 1
fi
[ -z "$mc_checkpoint_seconds" ] || sh "$mc_dir/checkpoint.sh" "$mc_host"
flux kvs put "$mc_left_key=$mc_host"
mc_jobs=$(mc_running '{id}')
for mc_job in $mc_jobs; do
  flux job raise --severity=0 --type=node-lost "$mc_job" \
    -- "node failure on $mc_host: its pod was told to end"
done
[ -n "$mc_jobs" ]
