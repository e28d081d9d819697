#!/bin/sh
# timed.sh NAME WORD...: runs WORD... and prints how long it took, in the form of the public
# operator's `/usr/bin/time -f "FLUXTIME NAME wall time %E"`, a program that few images have.
# shellcheck disable=SC1091,SC2154
. "${0%/*}/common.sh"

mc_name=$1
shift
mc_uptime
mc_began=$mc_now
exec 3<&0
trap mc_signal TERM INT HUP
mc_run "$@"
mc_uptime
mc_took=$((mc_now - mc_began))
mc_minutes=$((mc_took / 6000))
mc_hours=
if [ "$mc_minutes" -ge 60 ]; then
  mc_hours=$((mc_minutes / 60)):
  mc_minutes=$((mc_minutes % 60))
fi
printf 'FLUXTIME %s wall time %s%d:%02d.%02d\n' "$mc_name" "$mc_hours" "$mc_minutes" \
  "$((mc_took % 6000 / 100))" "$((mc_took % 100))" >&2
exit "$mc_code"
