#!/bin/sh
# copy-out.sh [PATH]: a client runs this in the lead after the command's end, while the lead stays
# (lingerSeconds). It writes PATH as a tar archive to the standard output. Without PATH the client has all
# that it wants, and the lead ends.
# shellcheck disable=SC1091,SC2154
. "${0%/*}/common.sh"

[ -p "$mc_copies" ] || {
  echo "the command has not ended, or the lead does not stay" >&2
  exit 1
}
[ $# -gt 0 ] || : >"$mc_copies.done"
exec 9>"$mc_copies" # the lead waits until this is closed
[ $# -gt 0 ] || exit 0
command -v tar >/dev/null 2>&1 || {
  echo "the image has no tar" >&2
  exit 1
}
mc_path=${1%/}
case $mc_path in
  */*) cd "${mc_path%/*}/" || exit ;;
esac
exec tar -cf - "./${mc_path##*/}"
