# For scripts that build images with buildah, without a daemon; sourced. Builds are kept in a cache
# outside the tree, for one script at a time: call `lock_images` first.
# shellcheck shell=bash

images_cache=${MINICLUSTER_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/minicluster-operator}
mirror=${MINICLUSTER_DEBIAN_MIRROR:-http://deb.debian.org/debian}
export BUILDAH_ISOLATION=chroot  # works without systemd, and uses the host's network

lock_images() {
  mkdir -p "$images_cache"
  exec 9>"$images_cache/containers.lock"
  flock 9
}

run_buildah() {
  buildah --storage-driver overlay --root "$images_cache/containers" \
    --runroot "$images_cache/containers/run" "$@"
}

# With the lock. Removes what earlier builds have left: the containers of killed builds, and
# untagged stages and images that are older than a day, or not among the newest 60. The others save
# time: a stage that the next build takes as it is, such as one with packages, does not become newer by
# that. They share most of their size, which is up to 2 GB.
forget_old_images() {
  local yesterday
  local -a old
  run_buildah rm --all >/dev/null
  yesterday=$(date --utc --date='1 day ago' '+%F %T')
  mapfile -t old < <(run_buildah images --filter dangling=true --format '{{.CreatedAtRaw}}|{{.ID}}' |
    sort --reverse | awk -F '|' -v yesterday="$yesterday" 'NR > 60 || $1 < yesterday { print $2 }')
  [ "${#old[@]}" = 0 ] || run_buildah rmi "${old[@]}" >/dev/null
}

# base SUITE [SECONDS]: docker.io/library/debian:SUITE-slim, the base image of the Dockerfiles, made
# with debootstrap: once, or again if it is older than SECONDS.
base() {
  local name=docker.io/library/debian:$1-slim oldest=${2-} made
  made=$(run_buildah inspect --type image --format '{{.OCIv1.Created.Unix}}' "$name" 2>/dev/null) || made=
  if [ -z "$made" ] || { [ -n "$oldest" ] && [ $(($(date +%s) - made)) -gt "$oldest" ]; }; then
    make_base "$1" "$name"
  fi
}

# make_base SUITE NAME. The end of the subshell removes the files, also after a failure or Ctrl-C.
make_base() (
  work=$(mktemp -d)
  trap 'rm -rf --one-file-system "$work"' EXIT  # without what a killed debootstrap leaves mounted
  echo "making a Debian $1 (a minute) ..." >&2
  debootstrap --variant=minbase "$1" "$work/tree" "$mirror" >"$work/log" 2>&1 || {
    tail -n 20 "$work/log" >&2
    exit 1
  }
  find "$work/tree/var/cache/apt/archives" -name '*.deb' -delete
  # From a folder, all files would be owned by root.
  tar -C "$work/tree" --exclude './dev/*' -cf "$work/tree.tar" .
  container=$(run_buildah from scratch)
  run_buildah add --quiet "$container" "$work/tree.tar" /
  run_buildah config --cmd /bin/bash "$container"
  run_buildah commit --quiet --rm "$container" "$2" >/dev/null
)

# image NAME:TAG SOURCE DOCKERFILE ARGUMENT...: builds localhost/NAME:TAG from the folder SOURCE.
image() {
  local name=$1 source=$2 file=$3 log
  shift 3
  log=$(mktemp)
  run_buildah bud --layers --file "$file" --tag "localhost/$name" "$@" "$source" \
    >"$log" 2>&1 </dev/null 9>&- || {  # processes that a step leaves running must not hold the lock
    tail -n 60 "$log" >&2
    echo "the image $name cannot be built; above is the end of what was said" >&2
    rm -f "$log"
    return 1
  }
  rm -f "$log"
}

# archive FORMAT NAME:TAG FILE: writes the image to FILE (FORMAT is docker-archive or oci-archive),
# only if it has changed.
archive() {
  local format=$1 name=$2 file=$3 id known
  known=$(dirname "$file")/.${file##*/}.id
  id=$(run_buildah inspect --type image --format '{{.FromImageID}}' "localhost/$name")
  [ ! -e "$file" ] || [ "$(cat "$known" 2>/dev/null)" != "$id" ] || return 0
  rm -f "$file"
  run_buildah push --quiet "localhost/$name" "$format:$file:localhost/$name" >/dev/null
  echo "$id" >"$known"
}
