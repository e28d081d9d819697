#!/bin/sh
# Every broker runs this before it joins (FLUX_RC_EXTRA). R is the lead's and counts for all pods: the
# lead publishes its cores, and a follower with fewer does not join; its pod fails with the reason.
# Flux would find out too, but only drain the node, and the jobs would wait for it for ever.
mc_folder=${0%/*}/..
mc_key=minicluster.cores
mc_newline='
'
read -r mc_cores <"$mc_folder/cores"
mc_rank=$(flux getattr rank)
if [ "$mc_rank" = 0 ]; then
  if [ -s "$mc_folder/metrics" ]; then # it goes on in the background, and nothing depends on it
    read -r mc_port mc_program <"$mc_folder/metrics"
    mc_why=$(flux python "$mc_program" "$mc_port" 2>&1 >/dev/null) ||
      echo "minicluster: warning: no metrics on port $mc_port: ${mc_why##*"$mc_newline"}" >&2
  fi
  exec flux kvs put "$mc_key=${mc_cores:-0}" # also over what an archive has restored
fi
mc_wanted=$(flux kvs get "$mc_key" 2>/dev/null) || mc_wanted=0 # a lead of an earlier version
if [ "$mc_wanted" -gt "${mc_cores:-$mc_wanted}" ]; then
  echo "this pod may use $mc_cores of the $mc_wanted cores that Flux counts in each pod, as many as the lead's pod has" >"$mc_folder/small"
  exit 1
fi
# The pod before this one has drained its rank (leave.sh), which would get no job again. This pod may be
# told to end meanwhile: then its own drain has to stay.
[ -e "$mc_folder/drain-reason" ] || exit 0
read -r mc_reason <"$mc_folder/drain-reason"
if [ ! -e "$mc_folder/leaving" ] &&
  [ "$(flux resource status -n -s drain -i "$mc_rank" -o '{reason}')" = "$mc_reason" ]; then
  flux resource undrain "$mc_rank"
  [ ! -e "$mc_folder/leaving" ] || flux resource drain "$mc_rank" "$mc_reason"
fi
exit 0
