#!/bin/sh
# linger.sh SECONDS: waits until a client has copied what it wants (copy-out.sh), or until none has come
# for SECONDS. A client that copies has all the time that it takes.
# shellcheck disable=SC1091,SC2154
. "${0%/*}/common.sh"

trap 'exit 0' TERM # a shell tells of a child that a signal has ended
until [ -e "$mc_copies.done" ]; do
  (sleep "$1" && kill "$$") >/dev/null 2>&1 &
  mc_timer=$!
  exec 4<"$mc_copies" # waits for a client
  kill "$mc_timer" 2>/dev/null
  read -r _ <&4       # until the client ends
  exec 4<&-           # before the next look for the file: who makes it opens the pipe after that
done
exec 4<>"$mc_copies" # lets in who has made the file and waits at the pipe,
rm -f "$mc_copies"   # and nobody waits at it any more: opening it makes a file
