#!/bin/sh
# lead.sh WORD...: what the lead's broker runs when enough brokers have joined: WORD..., the user's
# command. Afterwards the followers are told that all is decided, so that they end too; a follower
# that was not told waits for the next lead (wait.sh). Ends with the command's code.
# shellcheck disable=SC1091,SC2154
mc_dir=${0%/*}
. "$mc_dir/settings.sh"
. "$mc_dir/common.sh"

# At most 5 s: a follower that cannot be reached ends with the Job.
mc_tell_followers() {
  flux exec -n -r all touch "$mc_mount/flux-operator-ended.txt" >/dev/null 2>&1 </dev/null 3<&- &
  mc_telling=$!
  (sleep 5 && kill "$mc_telling") >/dev/null 2>&1 </dev/null 3<&- &
  mc_timer=$!
  wait "$mc_telling"
  kill "$mc_timer" 2>/dev/null
}

exec 3<&0
trap mc_signal TERM INT HUP
mc_phase quorum
mc_phase command
mc_run "$@"
[ -n "$mc_signalled" ] || [ -z "$mc_followers" ] || mc_tell_followers
exit "$mc_code"
