#!/bin/sh
# The init container of a pod whose Flux comes from a view: copies the configuration, and the Flux view
# of its image with the software that the view links to, to the volumes of the other containers. Ends
# with $mc_exit_no_configuration if it cannot.
# shellcheck disable=SC1091,SC2154
. "${0%/*}/common.sh"

# mc_copy FROM TO: keeps the times of files, because Python recompiles a file whose time differs
# from that in its compiled form. The folder itself is a volume, whose times only its owner may set.
mc_copy() {
  [ -d "$1/." ] || mc_fail "$mc_exit_no_configuration" "this image has no folder $1, so it is not a Flux view"
  for mc_entry in "$1"/* "$1"/.[!.]*; do
    [ -e "$mc_entry" ] || [ -L "$mc_entry" ] || continue
    cp -RPp "$mc_entry" "$2/" || mc_fail "$mc_exit_no_configuration" "cannot copy $mc_entry to $2"
  done
}

umask 000
cd "$mc_mount" || mc_fail "$mc_exit_no_configuration" "no folder $mc_mount"
# After a restart of the node it runs again in the same pod. What has ended stays ended: mc_end_file.
rm -f flux-operator-done.txt flux-operator-started.txt flux-operator-complete.txt \
  flux-operator-ended.txt flux-operator-begun.txt flux-operator-lost.txt \
  "$mc_jobs_file" "$mc_outlived_file" "$mc_saving_file"
mc_make_folders
mc_copy_configuration
mc_say "copying the Flux view"
mc_unlink_older_places
mc_copy "$mc_view_source" view
rmdir view/run/flux 2>/dev/null
mc_link_older_places
mc_copy "$mc_software_source" software
touch flux-operator-done.txt
mc_phase init
