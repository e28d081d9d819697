#!/bin/sh
# checkpoint.sh [HOST]: a pod that is told to end runs this while its broker still runs, with
# spec.preemptible.checkpoint. It sends the signal to each job that runs, or to those on HOST, and returns
# when none of them runs any more, or their time is over. Each job gets the signal once. If all pods are
# told to end, the lead sends it: a follower, which names its HOST, waits 3 s first.
# shellcheck disable=SC1091,SC2154
. "${0%/*}/common.sh"

# mc_await SECONDS: returns when the jobs have ended, or after that time.
mc_await() {
  mc_uptime
  mc_end=$((mc_now + $1 * 100))
  for mc_job in $mc_jobs; do
    mc_uptime
    [ "$mc_now" -lt "$mc_end" ] || return 0
    flux job wait-event --timeout="$(((mc_end - mc_now) / 100 + 1))s" "$mc_job" clean
  done
}

# lead.sh finds out by the key that the end of the job is not that of the command. A job that has only
# just started cannot get a signal yet.
mc_tell() {
  mc_key=$mc_saved_key.$1
  ! flux kvs get "$mc_key" || return 0
  flux kvs put "$mc_key=${mc_host:-$HOSTNAME}"
  flux job kill -s "$mc_checkpoint_signal" "$1" || flux kvs unlink "$mc_key"
}

mc_host=${1:-}
HOSTNAME=${HOSTNAME:-$(uname -n)}
mc_uptime
mc_until=$((mc_now + mc_checkpoint_seconds * 100))
if [ -n "$mc_host" ]; then
  mc_jobs=$(mc_running '{id.dec}')
  mc_await 3
fi
while mc_jobs=$(mc_running '{id.dec}') && [ -n "$mc_jobs" ]; do
  mc_uptime
  if [ "$mc_now" -ge "$mc_until" ]; then
    mc_running '{id} ({name:.40})' >"$mc_outlived_file"
    break
  fi
  for mc_job in $mc_jobs; do mc_tell "$mc_job"; done
  mc_left=$(((mc_until - mc_now) / 100 + 1))
  [ "$mc_left" -le 5 ] || mc_left=5 # a launcher may have started another job
  mc_await "$mc_left"
done
